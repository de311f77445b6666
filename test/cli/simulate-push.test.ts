import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simulatePush } from "../../src/cli/simulate-push.ts";
import { type Act, anyEdits, anyHistory, anyNode, playHistory } from "../decide/support/any-world.ts";
import { buildWorld, withBuild } from "../decide/support/build-world.ts";
import { exampleMesh, postgres } from "../decide/support/example-mesh.ts";
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

  it.each([
    ["settles in the last round that a push takes", 5, true],
    ["would have to go on after it", 6, false],
  ])("says what a push says of a chain that %s (R18)", (_what, length, settles) => {
    const names = Array.from({ length: length + 1 }, (_one, index) => `n${index}`);
    const chain = (providerOf: (index: number) => string) =>
      buildWorld({
        nodes: Object.fromEntries([...names, "x"].map((name) => [name, "10.0.0.1"])),
        modules: { postgres, relay: { ...postgres, requires: [{ name: "database", kind: "postgresql" }] } },
        assign: {
          "postgres@x": {},
          ...Object.fromEntries(
            names.map((name, index) => [`relay@${name}`, { providers: { database: providerOf(index) } }]),
          ),
        },
      });
    const before = runPush(
      runPush(
        chain(() => "postgres@x"),
        ["x"],
      ).world,
      names,
    ).world;
    // Each is to have its database on the next one now: telling one makes something on the next.
    const { assignments } = chain((index) => (index === length ? "postgres@x" : `relay@n${index + 1}`));
    const world = { ...before, assignments };
    const pushed = runPush(world, ["n0"]);
    expect(pushed.settled).toBe(settles);
    expect(pushed.rows.at(-1)).toMatchObject({ round: 5 });
    const plan = simulatePush(world, ["n0"], false);
    expect(plan.settles).toBe(settles);
    expect(rowsOf(plan)).toEqual(pushed.rows.map((row) => `${row.node} ${row.round} ${row.decision.kind}`));
  });

  it("of many nodes costs by their number, not by its square", () => {
    const askedOf = (count: number): number => {
      const names = Array.from({ length: count }, (_one, index) => `n${index}`);
      const world = runPush(
        buildWorld({
          nodes: Object.fromEntries(names.map((name) => [name, "10.0.0.1"])),
          modules: { postgres },
          assign: Object.fromEntries(names.map((name) => [`postgres@${name}`, {}])),
        }),
        names,
      ).world;
      let asked = 0;
      class Counted<K, V> extends Map<K, V> {
        override get(key: K): V | undefined {
          asked += 1;
          return super.get(key);
        }
      }
      const moved = withBuild({ ...world, nodes: new Counted(world.nodes) }, "postgres", 2, postgres);
      expect(simulatePush(moved, names, false).rounds.map((round) => round.length)).toEqual([count]);
      return asked;
    };
    expect(askedOf(80)).toBeLessThan(2.5 * askedOf(40));
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
