import { describe, expect, it } from "vitest";
import type { PushDependencies } from "../../src/activities/control-dependencies.ts";
import { openNewPush } from "../../src/activities/open-push.ts";
import type { PushRecords } from "../../src/activities/push-records.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { openTwin } from "../simulation/store/both-stores.ts";

const request = { mesh: "home", push: "push-1", kind: "all", named: [], requestedBy: "test", why: "" } as const;
const round = { push: "push-1", round: 0, from: 0, count: 10 };

function dependencies(records: PushRecords): PushDependencies {
  return {
    records,
    limits: { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 },
    nowMs: () => Date.UTC(2026, 0, 1),
  };
}

describe("opening a push", () => {
  it("tells those whom its first attempt named, also when a retry sees fewer (R18, R19)", async () => {
    const { push } = openTwin("home");
    const cut: PushRecords = { ...push, recordTargets: () => Promise.reject(new UnavailableError("cut")) };
    await expect(openNewPush(dependencies(cut), request)).rejects.toThrow("cut");
    const later: PushRecords = {
      ...push,
      async readWorld() {
        const world = await push.readWorld();
        return { ...world, nodes: new Map([...world.nodes].filter(([name]) => name !== "node-c")) };
      },
    };
    await openNewPush(dependencies(later), request);
    expect((await push.getPush("push-1"))?.named).toEqual(["node-a", "node-b", "node-c"]);
    expect((await push.listTargets(round)).map(({ node, why }) => `${node}: ${why}`)).toEqual([
      "node-a: the whole mesh",
      "node-b: the whole mesh",
      "node-c: named",
    ]);
  });

  it.each([
    [{ kind: "all" }, ["node-a", "node-b", "node-c"], "the whole mesh"],
    [{ kind: "named", named: ["node-b", "node-a", "node-b"] }, ["node-a", "node-b"], "named"],
    [{ kind: "named", named: ["node-c"], why: "asked for" }, ["node-c"], "asked for"],
    [{ kind: "auto", named: ["node-b"], why: "core moved" }, ["node-b"], "core moved"],
  ] as const)("tells each once, in order, and why: %j", async (how, nodes, why) => {
    const { push } = openTwin("home");
    const opened = await openNewPush(dependencies(push), { ...request, ...how });
    const targets = await push.listTargets(round);
    expect(targets.map(({ node }) => node)).toEqual(nodes);
    for (const target of targets) expect(target.why).toBe(why);
    const said = "why" in how ? `${nodes.join(", ")}: ${how.why}` : nodes.join(", ");
    expect(opened).toEqual({ targets: nodes.length, summary: said });
    // Of every node, whoever was named (R18).
    expect([...((await push.readChange("push-1"))?.baseline.keys() ?? [])].toSorted()).toEqual([
      "node-a",
      "node-b",
      "node-c",
    ]);
  });

  it("opens nothing for a node that is not there", async () => {
    const { push } = openTwin("home");
    const opening = openNewPush(dependencies(push), { ...request, kind: "named", named: ["node-a", "node-x"] });
    await expect(opening).rejects.toMatchObject({ name: "InputError", message: "there is no node node-x" });
    expect(await push.getPush("push-1")).toBeNull();
  });

  it("says so where there is nobody to tell, and counts those that it does not list", async () => {
    const { push } = openTwin("home");
    const withNodes = (names: readonly string[] | null): PushRecords => ({
      ...push,
      async readWorld() {
        const world = await push.readWorld();
        const [any] = world.nodes.values();
        if (any === undefined) throw new Error("there are nodes");
        return { ...world, nodes: new Map((names ?? []).map((name) => [name, { ...any, name }])) };
      },
    });
    const nobody = await openNewPush(dependencies(withNodes(null)), { ...request, push: "push-2" });
    expect(nobody).toEqual({ targets: 0, summary: "nobody to tell" });
    const many = ["g", "f", "e", "d", "c", "b", "a"];
    const opened = await openNewPush(dependencies(withNodes(many)), request);
    expect(opened).toEqual({ targets: 7, summary: "a, b, c, d, e and 2 more" });
  });
});
