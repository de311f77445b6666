import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/decide/find-changed.ts";
import type { World } from "../../src/decide/world.ts";
import { withBuild, withAssignment, withNode, withoutAssignment, buildOf } from "./support/build-world.ts";
import { composeOrFail, oneResource } from "./support/compose-or-fail.ts";
import { exampleMesh, meshboard, postgres } from "./support/example-mesh.ts";
import { listRows, runPush } from "./support/run-push.ts";

/** The example mesh with everything sent, each node by a push of its own. */
function settledMesh(): ReturnType<typeof exampleMesh> {
  let world = exampleMesh();
  for (const node of ["node-b", "node-a", "node-c"]) world = runPush(world, [node]).world;
  return world;
}

describe("a push and its cascade", () => {
  it("tells the provider in round 1, because a database was minted there (R18, case 16)", () => {
    const push = runPush(runPush(exampleMesh(), ["node-b"]).world, ["node-a"]);
    expect(listRows(push)).toEqual(["node-a 0 send", "node-b 1 send"]);
    expect(push.rows[1]?.why).toBe("a database for meshboard on node-a was minted here");
    expect(push.settled).toBe(true);
  });

  it("withdraws in the same push when the consumer is unassigned (R20, case 16)", () => {
    const push = runPush(withoutAssignment(settledMesh(), "meshboard@node-a"), ["node-a"]);
    expect(listRows(push)).toEqual(["node-a 0 send", "node-b 1 send"]);
    expect(push.rows[1]?.why).toBe("access of meshboard on node-a was withdrawn here");
    const provider = composeOrFail(push.world, "node-b");
    expect(oneResource(provider, "grant", "grant/postgres/postgresql").grants).toEqual([]);
    expect([...push.world.provisions.values()]).toMatchObject([{ state: "owed" }]);
  });

  it("takes the access of one consumer and leaves the other's (R20, case 16)", () => {
    const two = runPush(withAssignment(settledMesh(), "meshboard@node-c"), ["node-c"]).world;
    const push = runPush(withoutAssignment(two, "meshboard@node-a"), ["node-a"]);
    const grants = oneResource(composeOrFail(push.world, "node-b"), "grant", "grant/postgres/postgresql").grants;
    expect(grants.map(({ consumer }) => consumer.node)).toEqual(["node-c"]);
    expect(listRows(push)).not.toContain(expect.stringContaining("node-c"));
  });

  it("leaves alone a machine that was behind for its own reasons (R19, case 17)", () => {
    const behind = withAssignment(runPush(runPush(exampleMesh(), ["node-b"]).world, ["node-c"]).world, "clock@node-c", {
      config: { zone: "CET" },
    });
    const push = runPush(behind, ["node-a"]);
    expect(listRows(push)).toEqual(["node-a 0 send", "node-b 1 send"]);
  });

  it("sends a machine that was behind and is changed too, at the builds it was last sent (case 18, case 19)", () => {
    const told = runPush(exampleMesh(), ["node-b"]).world;
    const push = runPush(withBuild(told, "postgres", 2, postgres), ["node-a"]);
    expect(listRows(push)).toEqual(["node-a 0 send", "node-b 1 send"]);
    expect(push.world.sent.get("node-b")?.builds).toEqual({ postgres: buildOf("postgres", 1) });
  });

  it("holds a machine whose last send has no record of builds, and says so (R21, case 20)", () => {
    const told = runPush(exampleMesh(), ["node-b"]).world;
    const last = told.sent.get("node-b");
    if (last === undefined) throw new Error("node-b was not told");
    const unrecorded = { ...told, sent: new Map(told.sent).set("node-b", { ...last, builds: null }) };
    const push = runPush(unrecorded, ["node-a"]);
    expect(listRows(push)).toEqual(["node-a 0 send", "node-b 1 held"]);
    expect(push.rows[1]?.decision.why).toContain("`push node-b`");
    expect(push.settled).toBe(true);
    expect(listRows(runPush(push.world, ["node-b"]))).toEqual(["node-b 0 send"]);
  });

  it("holds a machine whose old build can no longer be composed, and names it (R21)", () => {
    const told = runPush(exampleMesh(), ["node-b"]).world;
    const newer = withBuild(told, "postgres", 2, postgres);
    const artifacts = new Map(
      [...newer.artifacts].filter(([, { artifact }]) => artifact.digest !== buildOf("postgres", 1)),
    );
    const push = runPush({ ...newer, artifacts }, ["node-a"]);
    expect(push.rows[1]?.decision).toMatchObject({
      kind: "held",
      holds: [{ module: "postgres", build: buildOf("postgres", 1) }],
    });
    expect(push.settled).toBe(true);
  });

  it("says of a never told machine that it is held, once it can be worked out (R21)", () => {
    const push = runPush(exampleMesh(), ["node-b"]);
    expect(listRows(push)).toEqual(["node-b 0 send", "node-a 1 held"]);
    expect(push.rows[1]?.why).toContain("it can be worked out now");
    expect(push.rows[1]?.decision.why).toBe("node-a was never told anything: `push node-a` sends it");
  });

  it("settles while builds become fit for a machine that was never told, and does not name it (R18, R19, R21)", () => {
    const push = runPush(runPush(exampleMesh(), ["node-b"]).world, ["node-a"], {
      between: (world, round) => withBuild(world, "clock", round + 2),
    });
    expect(listRows(push)).toEqual(["node-a 0 send", "node-b 1 send"]);
    expect(push.settled).toBe(true);
  });

  it("settles while never told machines can be worked out one after the other, by their first builds (R19)", () => {
    let start = runPush(exampleMesh(), ["node-b"]).world;
    const late = Array.from({ length: 6 }, (_, at) => `late-${at}`);
    for (const name of late) {
      start = withAssignment(withNode(withBuild(start, name, 1), `on-${name}`, {}), `${name}@on-${name}`);
      start = { ...start, modules: new Map(start.modules).set(name, { name, upgrade: null, fit: null }) };
    }
    const push = runPush(start, ["node-a"], {
      between: (world, round) => withBuild(world, late[round] ?? "clock", 1),
    });
    expect(digestOf(push.world, "on-late-0", { named: false })).not.toBeNull();
    expect(listRows(push)).toEqual(["node-a 0 send", "node-b 1 send"]);
    expect(push.settled).toBe(true);
  });

  it("says once that a consumer of what it told is held, whatever becomes fit there meanwhile (R21)", () => {
    const push = runPush(exampleMesh(), ["node-b"], {
      between: (world, round) => withBuild(world, "meshboard", round + 2, meshboard),
    });
    expect(listRows(push)).toEqual(["node-b 0 send", "node-a 1 held"]);
    expect(push.rows[1]?.why).toContain("its provider postgres@node-b was told in this push");
    expect(push.settled).toBe(true);
  });

  it("names a never told machine that it keeps from being worked out (R18, R26)", () => {
    const told = runPush(exampleMesh(), ["node-b"]).world;
    const push = runPush(withAssignment(told, "postgres@node-c"), ["node-c"]);
    expect(listRows(push)).toEqual(["node-c 0 send", "node-a 1 not-worked-out"]);
    expect(push.rows[1]?.why).toContain("it can no longer be worked out: database (postgresql) of meshboard on node-a");
  });

  it("moves every consumer when the provider is set up again elsewhere (case 22)", () => {
    const moved = withNode(settledMesh(), "node-b", { address: "10.9.9.9", incarnation: "host-new" });
    const push = runPush(moved, ["node-b"]);
    expect(listRows(push)).toEqual(["node-b 0 send", "node-a 1 send", "node-b 2 send"]);
    expect(push.rows[1]?.why).toContain(
      "its provider postgres@node-b was told in this push and is reached at 10.9.9.9:5432",
    );
    const file = oneResource(composeOrFail(push.world, "node-a"), "file", "file/meshboard/provisions");
    expect(file.content).toMatchObject({
      references: [
        { host: "10.9.9.9", version: 1, provision: "node-a.meshboard.database.host-node-a@node-b.postgres.host-new" },
      ],
    });
  });

  it("tells a consumer whose provider moved to another port, in the same push", () => {
    const moved = withAssignment(settledMesh(), "postgres@node-b", { config: { port: "5433" } });
    expect(listRows(runPush(moved, ["node-b"]))).toEqual(["node-b 0 send", "node-a 1 send"]);
  });

  it("names what can no longer be worked out, and withdraws nothing of it (R26, case 28)", () => {
    const push = runPush(withoutAssignment(settledMesh(), "postgres@node-b"), ["node-b"]);
    expect(listRows(push)).toEqual(["node-b 0 send", "node-a 1 not-worked-out"]);
    expect(push.rows[1]?.why).toContain("it can no longer be worked out: database (postgresql) of meshboard on node-a");
    expect([...push.world.provisions.values()].map(({ state }) => state)).toEqual(["issued"]);
  });

  it("does not pass over a provider that could not be worked out before (R18, R26)", () => {
    const told = runPush(exampleMesh(), ["node-b"]).world;
    const push = runPush(withAssignment(told, "postgres@node-b", { config: { port: "none" } }), ["node-a"]);
    expect(listRows(push)).toEqual(["node-a 0 send", "node-b 1 not-worked-out"]);
    expect(push.rows[1]?.why).toContain("is no port");
  });

  it("passes over a machine that cannot be worked out, before and after, where nothing of it was minted (R19)", () => {
    const broken = withAssignment(settledMesh(), "postgres@node-c", { config: { port: "none" } });
    const push = runPush(withoutAssignment(broken, "meshboard@node-a"), ["node-a"]);
    expect(digestOf(push.world, "node-c", { named: true })).toBeNull();
    expect(listRows(push)).toEqual(["node-a 0 send", "node-b 1 send"]);
    expect(push.rows[0]?.why).toBe("named in this push");
  });

  it("passes over a machine that was registered while the push ran: the push did not make it (R19)", () => {
    const between = (world: World): World => withNode(world, "node-d", {});
    const sent = runPush(withBuild(settledMesh(), "clock", 2), ["node-c"], { between });
    expect(sent.world.nodes.has("node-d")).toBe(true);
    expect(listRows(sent)).toEqual(["node-c 0 send"]);
  });

  it("does not settle when every round changes the mesh again, and names what moves (R18, case 21)", () => {
    const push = runPush(settledMesh(), ["node-a"], {
      between: (world, round) => withNode(world, "node-b", { address: `10.0.1.${round + 1}` }),
    });
    expect(push).toMatchObject({ settled: false, moving: ["node-a", "node-b"] });
    expect(Math.max(...push.rows.map(({ round }) => round))).toBe(5);
  });

  it("tries a named machine again when it becomes worked out in the same push", () => {
    const push = runPush(exampleMesh(), ["node-a", "node-b"]);
    expect(listRows(push)).toEqual(["node-a 0 not-worked-out", "node-b 0 send", "node-a 1 send", "node-b 2 send"]);
  });

  it("sends nothing again when nothing moved (R50)", () => {
    const push = runPush(settledMesh(), ["node-a", "node-b", "node-c"]);
    expect(push.rows.map(({ decision }) => decision.kind)).toEqual(Array(3).fill("already-current"));
    expect(push.rows[0]?.decision.why).toMatch(/^node-a was already sent exactly this, as 1\.\d$/);
  });

  it("compares a named machine at the newest builds and another at those it has (R21, R22)", () => {
    const world = withBuild(settledMesh(), "clock", 2);
    expect(digestOf(world, "node-c", { named: false })).toBe(world.sent.get("node-c")?.digest);
    expect(digestOf(world, "node-c", { named: true })).not.toBe(world.sent.get("node-c")?.digest);
  });
});
