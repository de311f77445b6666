import { describe, expect, it } from "vitest";
import { decideTell, type TellDecision } from "../../src/decide/decide-tell.ts";
import type { World } from "../../src/decide/world.ts";
import { buildWorld, withAssignment, withNode, withoutAssignment } from "./support/build-world.ts";
import { exampleMesh } from "./support/example-mesh.ts";
import { runPush } from "./support/run-push.ts";

/** One node that was sent `count` modules, and lost some since. */
function meshThatLost(count: number, lost: number): World {
  const names = Array.from({ length: count }, (_, at) => `app-${at}`);
  const modules = Object.fromEntries(names.map((name) => [name, {}]));
  const assign = Object.fromEntries(names.map((name) => [`${name}@node-a`, {}]));
  const told = runPush(buildWorld({ nodes: { "node-a": "10.0.0.1" }, modules, assign }), ["node-a"]).world;
  return names.slice(0, lost).reduce((world, name) => withoutAssignment(world, `${name}@node-a`), told);
}

function tell(world: World, how: { named?: boolean; confirmRemoval?: boolean } = {}): TellDecision {
  return decideTell({ world, node: "node-a", named: true, confirmRemoval: false, why: "named in this push", ...how });
}

describe("a declaration that removes much (R26)", () => {
  it.each([
    { of: 1, lost: 1, kind: "send" },
    { of: 2, lost: 1, kind: "send" },
    { of: 2, lost: 2, kind: "needs-confirmation" },
    { of: 3, lost: 2, kind: "needs-confirmation" },
    { of: 4, lost: 2, kind: "send" },
    { of: 5, lost: 3, kind: "needs-confirmation" },
  ])("$lost of $of modules: $kind", ({ of, lost, kind }) => {
    expect(tell(meshThatLost(of, lost)).kind).toBe(kind);
  });

  it("says what it would remove and how to go ahead", () => {
    const decision = tell(meshThatLost(3, 2));
    expect(decision).toMatchObject({ dropped: ["app-0", "app-1"] });
    expect(decision.why).toBe(
      "this would remove from node-a 2 of its 3 modules (app-0, app-1): `push node-a --confirm-removal` goes ahead",
    );
  });

  it("goes ahead when confirmed, for the nodes that were named only", () => {
    expect(tell(meshThatLost(3, 2), { confirmRemoval: true }).kind).toBe("send");
    expect(tell(meshThatLost(3, 2), { confirmRemoval: true, named: false }).kind).toBe("needs-confirmation");
  });

  it("asks where everything would go and what was there is not recorded", () => {
    const world = meshThatLost(1, 1);
    const last = world.sent.get("node-a");
    if (last === undefined) throw new Error("node-a was not told");
    const unrecorded = { ...world, sent: new Map(world.sent).set("node-a", { ...last, builds: null }) };
    expect(tell(unrecorded)).toMatchObject({ kind: "needs-confirmation", dropped: [] });
  });

  it("does not ask for a machine that was set up again: there is nothing on it", () => {
    expect(tell(withNode(meshThatLost(3, 2), "node-a", { incarnation: "host-new" })).kind).toBe("send");
  });

  it("does not look at a node again that waits for its confirmation", () => {
    const push = runPush(meshThatLost(3, 2), ["node-a"]);
    expect(push.rows).toHaveLength(1);
    expect(push.settled).toBe(true);
  });
});

describe("what becomes of a node", () => {
  const how = { named: true, confirmRemoval: false, why: "named in this push" };

  it("is sent to another host under the same name although the content is the same", () => {
    const told = runPush(exampleMesh(), ["node-c"]).world;
    const again = withNode(told, "node-c", { incarnation: "host-new" });
    expect(decideTell({ world: told, node: "node-c", ...how }).kind).toBe("already-current");
    expect(decideTell({ world: again, node: "node-c", ...how }).kind).toBe("send");
  });

  it("is sent what it had before its disk was put back, once, in a push that names it (R31, R50)", () => {
    const told = runPush(exampleMesh(), ["node-c"]).world;
    const sent = told.sent.get("node-c");
    if (sent === undefined) throw new Error("node-c was not told");
    const back = { ...told, reverted: new Map([["node-c", sent.order]]) };
    expect(decideTell({ world: back, node: "node-c", ...how })).toMatchObject({ kind: "send", digest: sent.digest });
    const again = runPush(back, ["node-c"]);
    expect(again.rows.map(({ node, decision }) => [node, decision.kind])).toEqual([["node-c", "send"]]);
    expect(decideTell({ world: again.world, node: "node-c", ...how }).kind).toBe("already-current");
    // What it was told and did not have yet when it went back, it takes by itself.
    const { number } = sent.order;
    const before = { ...told, reverted: new Map([["node-c", { ...sent.order, number: number - 1 }]]) };
    expect(decideTell({ world: before, node: "node-c", ...how }).kind).toBe("already-current");
  });

  it("is held in a cascade when its host was enrolled again, and says what to do", () => {
    const told = withNode(runPush(exampleMesh(), ["node-c"]).world, "node-c", { incarnation: "host-new" });
    const decision = decideTell({ world: told, node: "node-c", named: false, confirmRemoval: false, why: "changed" });
    expect(decision).toMatchObject({ kind: "held", why: expect.stringContaining("`push node-c`") });
    expect(decision).toHaveProperty("holds.length", 1);
  });

  it("lists every reason why it is not worked out", () => {
    const world = withAssignment(exampleMesh(), "postgres@node-a", { config: { port: "none" } });
    const decision = tell(world);
    expect(decision).toMatchObject({ kind: "not-worked-out", digest: null });
    expect(decision.why.split("; ")).toHaveLength(2);
    expect(decision).toMatchObject({ problems: [{ module: "meshboard" }, { module: "postgres" }] });
  });

  it("is sent though nothing in it changes, where access that nobody asks for is to be withdrawn (R20)", () => {
    const told = runPush(exampleMesh(), ["node-b", "node-a", "node-c"]).world;
    const [issued] = told.provisions.values();
    if (issued === undefined) throw new Error("nothing was minted");
    const consumer = { ...issued.consumer, node: "node-c", incarnation: "host-node-c" };
    const left = { ...issued, id: "left", consumer };
    const world = { ...told, provisions: new Map(told.provisions).set("left", left) };
    const whom = { node: "node-c", ...how };
    expect(decideTell({ world: told, ...whom })).toMatchObject({
      kind: "already-current",
      why: expect.stringMatching(/^node-c was already sent exactly this, as 1\.\d$/),
    });
    expect(decideTell({ world, ...whom })).toMatchObject({ kind: "send", withdrawals: ["left"], mints: [] });
  });
});
