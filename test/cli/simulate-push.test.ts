import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simulatePush } from "../../src/cli/simulate-push.ts";
import { type Act, anyEdits, anyHistory, anyNode, playHistory } from "../decide/support/any-world.ts";
import { exampleMesh } from "../decide/support/example-mesh.ts";
import { runPush } from "../decide/support/run-push.ts";

const words = { "would-be-sent": "send" } as const;
const rowsOf = (plan: ReturnType<typeof simulatePush>): string[] =>
  plan.rounds.flat().map((one) => {
    const outcome = one.outcome === "would-be-sent" ? words[one.outcome] : one.outcome;
    return `${one.node} ${one.round} ${outcome}`;
  });

describe("a plan (R23)", () => {
  it("foresees the mint on the provider's node, and mints nothing", () => {
    const world = runPush(exampleMesh(), ["node-b"]).world;
    const plan = simulatePush(world, ["node-a"], false);
    expect(rowsOf(plan)).toEqual(["node-a 0 send", "node-b 1 send"]);
    expect(plan.rounds[0]?.[0]?.mints).toMatchObject([{ kind: "postgresql", consumer: { node: "node-a" } }]);
    expect(plan.settles).toBe(true);
    expect(world.provisions.size).toBe(0);
  });

  it("says why a consumer of a provider that was never told is not worked out (case 24)", () => {
    const plan = simulatePush(exampleMesh(), ["node-a"], false);
    expect(plan.rounds.flat()).toMatchObject([{ node: "node-a", outcome: "not-worked-out" }]);
  });

  it("foresees exactly what the push of a node then does, whatever happened before", () => {
    // Without hosts that enrol again: those are composed twice within one round, which this model does not show.
    const staying = (acts: readonly Act[]): Act[] => acts.filter((act) => act.act !== "enrol");
    fc.assert(
      fc.property(anyHistory, anyEdits, anyNode, (history, edits, node) => {
        const world = playHistory(staying(edits), playHistory(staying(history)));
        const pushed = runPush(world, [node]);
        const plan = simulatePush(world, [node], false);
        expect(rowsOf(plan)).toEqual(pushed.rows.map((row) => `${row.node} ${row.round} ${row.decision.kind}`));
        expect(plan.settles).toBe(pushed.settled);
      }),
      { numRuns: 200 },
    );
  });
});
