import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdSources } from "../../src/decide/hold-sources.ts";
import { planBuilds } from "../../src/decide/plan-builds.ts";
import { buildMeshOfModules, judge, runWave, withCommit, withRecord } from "./support/build-mesh-of-modules.ts";
import { minutesLater, reference } from "./support/build-report.ts";
import { expectUnmixed, longestSilence, simulateCommits } from "./support/simulate-commits.ts";

const tenMinutes = 600;
const everyTwentySeconds = { commitAt: (second: number) => (second % 20 === 0 ? "core" : null), seconds: tenMinutes };
const oneMinute = { buildSeconds: () => 60, slots: 2 };
const boundMs = 60_000;

describe("a commit every 20 s with builds of 60 s, for ten minutes (R16, case 6)", () => {
  const start = buildMeshOfModules({ core: [], left: ["core"], right: ["core"], top: ["left", "right", "core"] });

  it("gives the library and all that is built against it verdicts at a steady pace", () => {
    const run = simulateCommits({ start, ...everyTwentySeconds, ...oneMinute, starvedAfterMs: boundMs });
    // A build, the bound, and the wave: core, left beside right, top.
    for (const module of ["core", "left", "right", "top"])
      expect({ module, fits: longestSilence(run, module, tenMinutes) <= 60 + 4 * 60 }).toEqual({ module, fits: true });
    expect(run.verdicts.filter(({ module }) => module === "core").length).toBeGreaterThanOrEqual(5);
    expect(run.verdicts.filter(({ module }) => module === "top").length).toBeGreaterThanOrEqual(2);
    expectUnmixed(run.built);
  });

  it("gives what is built against it none at all where nothing is held: so the rule is needed", () => {
    const run = simulateCommits({
      start,
      ...everyTwentySeconds,
      ...oneMinute,
      starvedAfterMs: Number.POSITIVE_INFINITY,
    });
    expect(run.verdicts.filter(({ module }) => module !== "core")).toEqual([]);
    expect(run.verdicts.filter(({ module }) => module === "core").length).toBe(9);
  });

  it("judges the newest of the commits that waited, never one in between", () => {
    const run = simulateCommits({ start, ...everyTwentySeconds, ...oneMinute, starvedAfterMs: boundMs });
    const cores = run.verdicts.filter(({ module }) => module === "core").map(({ commit }) => commit);
    expect(cores).toEqual(cores.toSorted((a, b) => a - b));
    expect(new Set(cores).size).toBe(cores.length);
    expect(cores.length).toBeLessThan(tenMinutes / 20 / 2);
  });

  it("lets the library's newer commits in again in the middle of a wave of hours", () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`m${String(at).padStart(2, "0")}`, ["core"]]),
    );
    const run = simulateCommits({
      start: buildMeshOfModules({ core: [], ...many }),
      commitAt: everyTwentySeconds.commitAt,
      seconds: 1_800,
      ...oneMinute,
      starvedAfterMs: boundMs,
    });
    expect(longestSilence(run, "core", 1_800)).toBeLessThan(900);
    // The oldest first: nobody is always the last.
    expect(new Set(run.verdicts.map(({ module }) => module)).size).toBe(31);
    expectUnmixed(run.built);
  });
});

describe("commits, looks and builds in any order", () => {
  const names = ["m0", "m1", "m2", "m3", "m4", "m5"];
  const anySpec = fc
    .array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 12 })
    .map((pairs) =>
      Object.fromEntries(
        names.map((name, at) => [name, pairs.filter(([a, b]) => a === at && b < at).map(([, b]) => names[b] ?? "")]),
      ),
    );

  it("never mix two builds of one module in a closure, and build none twice at the same inputs (R9)", () => {
    fc.assert(
      fc.property(
        anySpec,
        fc.array(fc.option(fc.constantFrom(...names), { freq: 2 }), { minLength: 50, maxLength: 200 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 6, maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(1_000, 5_000, 20_000),
        (spec, commits, durations, slots, starvedAfterMs) => {
          const run = simulateCommits({
            start: buildMeshOfModules(spec),
            commitAt: (second) => commits[second] ?? null,
            seconds: commits.length + 1_200,
            buildSeconds: (module) => durations[names.indexOf(module)] ?? 1,
            slots,
            starvedAfterMs,
          });
          expectUnmixed(run.built);
          const keys = run.built.map(({ module, inputs }) => `${module}@${inputs}`);
          expect(new Set(keys).size).toBe(keys.length);
          // When commits end, the newest of everything is judged: a hold is never for ever.
          for (const module of names) {
            const newest = 1 + commits.filter((touched) => touched === module).length;
            const last = run.verdicts.findLast((verdict) => verdict.module === module);
            expect({ module, commit: last?.commit }).toEqual({ module, commit: newest });
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("which commits wait for whom", () => {
  const since = (days: number): string => new Date(Date.UTC(2020, 0, 1 + days)).toISOString();
  /** So long that all of them are starved, and none is in a gap. */
  const starvedAfterMs = 4e9;

  it("is the longest behind of those that are built against them, directly or not (R16)", () => {
    const anyGraph = fc.record({
      edges: fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30 }),
      days: fc.array(fc.option(fc.nat(5)), { minLength: 10, maxLength: 10 }),
    });
    fc.assert(
      fc.property(anyGraph, ({ edges, days }) => {
        const names = days.map((_, at): string => `m${at}`);
        const dependencies = new Map<string, readonly string[]>(
          names.map((name, at) => [name, edges.flatMap(([from, to]) => (from === at && to < at ? [`m${to}`] : []))]),
        );
        const facts = buildMeshOfModules(Object.fromEntries(dependencies));
        const behindSince = new Map(days.flatMap((day, at) => (day === null ? [] : [[`m${at}`, since(day)] as const])));
        const starved = [...behindSince]
          .filter(([name]) => (dependencies.get(name) ?? []).length > 0)
          .toSorted(([a, one], [b, other]) => (one === other ? (a < b ? -1 : 1) : one < other ? -1 : 1));
        // As it was written first: everything below each of them, also where it is held.
        const wanted = new Map<string, string>();
        for (const [name] of starved) {
          const below = new Set<string>([name]);
          for (const module of below) for (const one of (dependencies.get(module) ?? []).toSorted()) below.add(one);
          for (const module of below) if (!wanted.has(module)) wanted.set(module, name);
        }
        const held = holdSources({ facts, plan: planBuilds(facts), behindSince, starvedAfterMs });
        expect([...held]).toEqual([...wanted]);
      }),
    );
  });

  it("is found by going to each module once, however many wait one behind the other", () => {
    let visits = 0;
    class CountedModules<K, V> extends Map<K, V> {
      override get(key: K): V | undefined {
        visits += 1;
        return super.get(key);
      }
    }
    const names = Array.from({ length: 500 }, (_, at) => `m${at}`);
    const facts = buildMeshOfModules(
      Object.fromEntries(names.map((name, at) => [name, at === 0 ? [] : [`m${at - 1}`]])),
    );
    const plan = planBuilds(facts);
    // The one with the fewest below it is the longest behind, and so on: each one's own are held when its turn comes.
    const behindSince = new Map(names.map((name, at) => [name, new Date(Date.UTC(2020, 0, 1) + at).toISOString()]));
    const counted = { ...facts, modules: new CountedModules(facts.modules) };
    const held = holdSources({ facts: counted, plan, behindSince, starvedAfterMs });
    expect(held.size).toBe(500);
    expect(visits).toBeLessThanOrEqual(2 * names.length);
  });
});

describe("newer commits wait for nobody", () => {
  const longAgo = new Map([["app", "2020-01-01T00:00:00.000Z"]]);
  const fit = runWave(buildMeshOfModules({ core: [], app: ["core"] })).facts;

  function heldIn(facts: typeof fit): string[] {
    return [...holdSources({ facts, plan: planBuilds(facts), behindSince: longAgo, starvedAfterMs: 4e9 }).keys()];
  }

  it("who waits for a failure, because the newer commit is the cure (R11)", () => {
    const moved = withCommit(fit, "core", 2);
    expect(heldIn(moved)).toEqual(["app", "core"]);
    const [build] = planBuilds(moved).ready;
    if (build === undefined) throw new Error("core is not ready");
    expect(heldIn(judge(moved, build, () => ({ state: "unfit", message: "no" })))).toEqual([]);
    const away = { state: "outstanding", message: "no disk", nextTryAt: minutesLater(5) } as const;
    expect(heldIn(withRecord(moved, "core", build.inputs, away))).toEqual([]);
  });

  it("who is current, and who has waited for less than the bound", () => {
    expect(heldIn(fit)).toEqual([]);
    const facts = withCommit(fit, "core", 2);
    const behindSince = new Map([["app", reference]]);
    expect([...holdSources({ facts, plan: planBuilds(facts), behindSince, starvedAfterMs: boundMs })]).toEqual([]);
  });
});
