import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Digest, Name } from "../../src/core/names.ts";
import { accountWave, type WaveResult } from "../../src/decide/account-wave.ts";
import type { BuildFacts } from "../../src/decide/build-facts.ts";
import { planBuilds, type PlannedBuild } from "../../src/decide/plan-builds.ts";
import { rebuildSet } from "../../src/decide/rebuild-set.ts";
import {
  buildMeshOfModules,
  fitAndMoved,
  fitAndSame,
  judge,
  withCommit,
  type Judge,
} from "./support/build-mesh-of-modules.ts";
import { minutesLater } from "./support/build-report.ts";

const size = 7;
const name = (at: number): Name => `m${at}`;

/** Imports go to lower numbers, so there is always an order; some are of tests only. */
const anyModules = fc
  .array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1), fc.boolean()), { maxLength: 14 })
  .map((pairs) =>
    Object.fromEntries(
      Array.from({ length: size }, (_, at) => [
        name(at),
        pairs.filter(([a, b]) => a === at && b < at).map(([, b, isTest]) => `${isTest ? "test:" : ""}${name(b)}`),
      ]),
    ),
  );
/** Like it, with cycles, and imports of what is not there. */
const anyImports = fc
  .array(fc.tuple(fc.nat(size - 1), fc.nat(size), fc.boolean()), { maxLength: 14 })
  .map((pairs) =>
    Object.fromEntries(
      Array.from({ length: size }, (_, at) => [
        name(at),
        pairs.filter(([a]) => a === at).map(([, b, isTest]) => `${isTest ? "test:" : ""}${name(b)}`),
      ]),
    ),
  );

type Event = { readonly commit: number } | { readonly build: number; readonly verdict: number };
const anyEvents: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.record({ commit: fc.nat(size - 1) }) },
    { weight: 4, arbitrary: fc.record({ build: fc.nat(), verdict: fc.nat(9) }) },
  ),
  { maxLength: 40 },
);

const judges: readonly Judge[] = [
  fitAndMoved,
  fitAndMoved,
  fitAndMoved,
  fitAndMoved,
  fitAndMoved,
  fitAndSame,
  fitAndSame,
  fitAndSame,
  () => ({ state: "unfit", message: "1 test failed" }),
  () => ({ state: "outstanding", message: "no space left", nextTryAt: minutesLater(5) }),
];

/** Commits and builds in some order, with everything that was built. */
function play(
  start: BuildFacts,
  events: readonly Event[],
): { readonly facts: BuildFacts; readonly built: readonly PlannedBuild[] } {
  let facts = start;
  const built: PlannedBuild[] = [];
  for (const [at, event] of events.entries()) {
    if ("commit" in event) {
      facts = withCommit(facts, name(event.commit), at + 2);
      continue;
    }
    const { ready } = planBuilds(facts);
    const next = ready[event.build % Math.max(1, ready.length)];
    if (next === undefined) continue;
    built.push(next);
    facts = judge(facts, next, judges[event.verdict]);
  }
  return { facts, built };
}

/** By artifact: every artifact it is made of, by module, each module's as often as it differs. */
function flatten(built: readonly PlannedBuild[]): Map<Digest, Map<Name, Set<Digest>>> {
  const made = new Map<Digest, Map<Name, Set<Digest>>>();
  for (const build of built) {
    const parts = new Map<Name, Set<Digest>>();
    for (const [module, digest] of Object.entries(build.closure.dependencies)) {
      for (const [inner, digests] of [...(made.get(digest) ?? []), [module, new Set([digest])] as const]) {
        parts.set(inner, new Set([...(parts.get(inner) ?? []), ...digests]));
      }
    }
    const artifact = fitAndMoved(build).artifact;
    if (artifact) made.set(artifact, parts);
  }
  return made;
}

describe("planning builds", () => {
  it("puts every module in exactly one bucket, whatever imports what (case 15)", () => {
    fc.assert(
      fc.property(anyImports, anyEvents, (spec, events) => {
        const plan = planBuilds(play(buildMeshOfModules(spec), events).facts);
        const rows = [
          plan.ready,
          plan.building,
          plan.current,
          plan.waiting,
          plan.unfit,
          plan.outstanding,
          plan.broken,
        ].flat();
        expect(rows.map(({ module }) => module).toSorted()).toEqual(Object.keys(spec).toSorted());
        expect(plan.order.toSorted()).toEqual(Object.keys(spec).toSorted());
        for (const { for: roots } of plan.waiting) expect(roots.length).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
  });

  it("never mixes two builds of one module in one artifact (R9)", () => {
    fc.assert(
      fc.property(anyModules, anyEvents, (spec, events) => {
        const alwaysMoved = events.map((event) => ("build" in event ? { ...event, verdict: 0 } : event));
        const { built } = play(buildMeshOfModules(spec), alwaysMoved);
        for (const parts of flatten(built).values()) {
          for (const [module, digests] of parts)
            expect({ module, builds: digests.size }).toEqual({ module, builds: 1 });
        }
      }),
      { numRuns: 40 },
    );
  });

  it("builds each module at each inputs at most once, and ends when nothing moves (R9, L1)", () => {
    fc.assert(
      fc.property(anyModules, anyEvents, (spec, events) => {
        const start = play(buildMeshOfModules(spec), events);
        let facts = start.facts;
        const keys = start.built.map(({ module, inputs }) => `${module}@${inputs}`);
        for (let step = 0; step <= size; step += 1) {
          for (const next of planBuilds(facts).ready) {
            keys.push(`${next.module}@${next.inputs}`);
            facts = judge(facts, next);
          }
        }
        expect(planBuilds(facts).ready).toEqual([]);
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: 40 },
    );
  });

  it("announces all that a wave builds, and accounts for all that it announced (R9)", () => {
    fc.assert(
      fc.property(
        anyImports,
        anyEvents,
        fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }),
        (spec, events, verdicts) => {
          let facts = play(buildMeshOfModules(spec), events).facts;
          const announced = rebuildSet(facts).map(({ module }) => module);
          const results = new Map<Name, WaveResult>();
          for (const verdict of verdicts) {
            const [next] = planBuilds(facts).ready;
            if (next === undefined) break;
            expect(announced).toContain(next.module);
            const { state = "fit", artifact = null, message = "" } = judges[verdict]?.(next) ?? {};
            if (state !== "building") results.set(next.module, { state, inputs: next.inputs, artifact, message });
            facts = judge(facts, next, judges[verdict]);
          }
          const accounted = accountWave(announced, results, planBuilds(facts));
          expect(accounted.map(({ module }) => module)).toEqual(announced);
          for (const { why } of accounted) expect(why).not.toBe("");
        },
      ),
      { numRuns: 40 },
    );
  });
});
