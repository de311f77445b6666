import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ageMs, describeAge, timeMs } from "../../src/decide/ages.ts";
import { findCycle } from "../../src/decide/find-cycle.ts";
import { buildWorkflowId, pushWorkflowId, reconcileWorkflowId, roundWorkflowId } from "../../src/decide/ids.ts";
import { judgeLosses } from "../../src/decide/judge-losses.ts";
import { provisionName } from "../../src/decide/provision-name.ts";
import { strongComponents } from "../../src/decide/strong-components.ts";
import { digestNamed } from "./support/build-world.ts";

describe("workflow ids", () => {
  it("can be read by a person (R49)", () => {
    expect(reconcileWorkflowId("home")).toBe("reconcile/home");
    expect(buildWorkflowId("home", "core", `sha256:${"0123456789abcdef".repeat(4)}`)).toBe(
      "build/home/core/0123456789ab",
    );
    expect(pushWorkflowId("home", "p7")).toBe("push/home/p7");
    expect(roundWorkflowId("home", "p7", 2)).toBe("push/home/p7/round-2");
    expect(buildWorkflowId("home", "core", digestNamed("x"))).toMatch(/^build\/home\/core\/[0-9a-f]{12}$/);
  });
});

describe("times", () => {
  it("are read as Date reads them", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("1900-01-01"), max: new Date("2999-12-31"), noInvalidDate: true }),
        (date) => {
          expect(timeMs(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });

  it("that are written finer than anybody reads are read (R38)", () => {
    expect(timeMs("2026-03-01T12:00:00.0019999999999Z")).toBe(timeMs("2026-03-01T12:00:00.001Z"));
  });

  it("that cannot be read are an error, not an age of zero (R42)", () => {
    for (const text of ["", "yesterday", "2026-03-01", "2026-03-01T12:00:00+01:00"])
      expect(() => timeMs(text)).toThrow("not a time");
  });

  it("of another clock that is ahead are no negative age", () => {
    expect(ageMs("2026-03-01T12:00:00Z", "2026-03-01T12:00:05Z")).toBe(0);
  });

  it("are told as people tell them", () => {
    expect([0, 59_999, 60_000, 3_600_000, 12_000_000, 200_000_000].map(describeAge)).toEqual([
      "0 s",
      "59 s",
      "1 min",
      "1 h",
      "3 h 20 min",
      "2 d",
    ]);
  });
});

const anyGraph = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 14 }).map((pairs) => {
  const name = (at: number): string => String.fromCharCode(97 + at);
  return new Map(
    Array.from({ length: 7 }, (_, at) => [name(at), pairs.filter(([a]) => a === at).map(([, b]) => name(b))]),
  );
});

/** Everything reachable over one edge or more. */
function reachableFrom(graph: ReadonlyMap<string, readonly string[]>, start: string): Set<string> {
  const reached = new Set(graph.get(start));
  for (const at of reached) for (const to of graph.get(at) ?? []) reached.add(to);
  return reached;
}

describe("graphs", () => {
  it("have a cycle found exactly when there is one, and it is one (R6, case 15)", () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const cycle = findCycle(graph);
        const isCyclic = [...graph.keys()].some((at) => reachableFrom(graph, at).has(at));
        expect(cycle !== null).toBe(isCyclic);
        for (const [at, member] of (cycle ?? []).entries()) {
          expect(graph.get(member)).toContain(cycle?.[at + 1] ?? cycle?.[0]);
        }
      }),
    );
  });

  it("name the shortest cycle", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["a", "d"]],
      ["d", ["c"]],
    ]);
    expect(findCycle(graph)).toEqual(["c", "d"]);
  });

  it("fall into components: together exactly what reaches each other, dependencies first", () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const components = strongComponents(graph);
        expect(components.flat().toSorted()).toEqual([...graph.keys()]);
        const place = new Map(components.flatMap((members, at) => members.map((member) => [member, at] as const)));
        for (const [a, targets] of graph) {
          for (const b of targets) expect(place.get(b)).toBeLessThanOrEqual(place.get(a) ?? -1);
          for (const b of graph.keys()) {
            if (a === b) continue;
            const together = reachableFrom(graph, a).has(b) && reachableFrom(graph, b).has(a);
            expect(place.get(a) === place.get(b)).toBe(together);
          }
        }
      }),
    );
  });

  it("may be one chain of 5,000", () => {
    const chain = new Map(Array.from({ length: 5_000 }, (_, at) => [`m${at}`, [`m${at + 1}`]]));
    expect(strongComponents(chain)).toHaveLength(5_000);
  });
});

describe("provision names", () => {
  it("fit in what a database takes, and differ with every part of the pair", () => {
    const long = `a${"-b".repeat(31)}`;
    const names = ["node-a", long].flatMap((node) =>
      ["app", long].flatMap((module) =>
        ["rows", long].map((requirement) => provisionName("home", { node, module, requirement })),
      ),
    );
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]{0,62}$/);
    expect(new Set(names).size).toBe(8);
    expect(provisionName("other", { node: "node-a", module: "app", requirement: "rows" })).not.toBe(names[0]);
  });
});

describe("artifacts that are not there (R45)", () => {
  it.each([
    [0, 0, "none"],
    [5, 0, "none"],
    [1, 1, "build-again"],
    [2, 2, "build-again"],
    [3, 3, "ask"],
    [50, 50, "ask"],
    [50, 49, "build-again"],
    [4, 3, "build-again"],
  ])("of %i that are needed %i are lost: %s", (needed, lost, judged) => {
    expect(judgeLosses(needed, lost)).toBe(judged);
  });
});
