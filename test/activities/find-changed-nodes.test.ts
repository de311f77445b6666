import { expect, it } from "vitest";
import type { PushDependencies } from "../../src/activities/control-dependencies.ts";
import { findChangedNodes } from "../../src/activities/find-changed-nodes.ts";
import { openNewPush } from "../../src/activities/open-push.ts";
import type { PushChange, PushRecords } from "../../src/activities/push-records.ts";
import type { Told } from "../../src/core/push.ts";
import { captureBaseline } from "../../src/decide/find-changed.ts";
import { exampleMesh } from "../decide/support/example-mesh.ts";
import { runPush } from "../decide/support/run-push.ts";
import { openTwin } from "../simulation/store/both-stores.ts";

const push = "push-1";

/** The look after round 1, where the provider on node-b was told so and node-a, which was never told, depends on it. */
async function lookAfter(told: Pick<Told, "round" | "outcome">): Promise<readonly string[]> {
  const twin = openTwin("home");
  const records: PushRecords = {
    ...twin.push,
    async readChange(id) {
      const kept = await twin.push.readChange(id);
      if (kept === null) throw new Error(`${id} was not opened`);
      const world = runPush(exampleMesh(), ["node-b"]).world;
      const digest = world.sent.get("node-b")?.digest ?? null;
      const row = { ...told, node: "node-b", why: "", epoch: 1, number: 1, digest, at: "2026-01-01T00:00:00Z" };
      const change: PushChange = { ...kept, baseline: captureBaseline(exampleMesh()), told: [row], world };
      return change;
    },
  };
  const deps: PushDependencies = {
    records,
    limits: { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 },
    nowMs: () => Date.UTC(2026, 0, 1),
  };
  await openNewPush(deps, { mesh: "home", push, kind: "named", named: ["node-b"], requestedBy: "test", why: "" });
  return (await findChangedNodes(deps, { push, round: 1 })).firstNames;
}

it.each([
  [{ round: 1, outcome: "sent" }, ["node-a"]],
  [{ round: 0, outcome: "sent" }, []],
  [{ round: 1, outcome: "already-current" }, []],
] as const)(
  "names a never told consumer where its provider was just sent something: %j (R18, R21)",
  async (told, named) => {
    expect(await lookAfter(told)).toEqual(named);
  },
);
