import fc from "fast-check";
import { expect, it } from "vitest";
import { buildKey, type BuildFacts, type ModuleFacts } from "../../src/decide/build-facts.ts";
import { layFacts } from "../../src/decide/layered-facts.ts";
import { planBuilds } from "../../src/decide/plan-builds.ts";
import { createPlanMemory } from "../../src/decide/plan-memory.ts";
import { rebuildSet } from "../../src/decide/rebuild-set.ts";
import {
  buildMeshOfModules,
  fitAndMoved,
  fitAndSame,
  judge,
  withCommit,
  withModule,
} from "./support/build-mesh-of-modules.ts";
import { minutesLater } from "./support/build-report.ts";

const size = 6;
const name = (at: number): string => `m${at % size}`;

/** Some go round, some import what is not there. */
const anySpec = fc
  .array(fc.tuple(fc.nat(size - 1), fc.nat(size), fc.boolean()), { maxLength: 10 })
  .map((pairs) =>
    Object.fromEntries(
      Array.from({ length: size }, (_, at) => [
        name(at),
        pairs.filter(([a]) => a === at).map(([, b, isTest]) => `${isTest ? "test:" : ""}m${b}`),
      ]),
    ),
  );

type Step = (facts: BuildFacts, at: number) => BuildFacts;
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>((facts) => facts),
  fc.nat().map(
    (which): Step =>
      (facts, at) =>
        withCommit(facts, name(which), at + 2),
  ),
  fc.tuple(fc.nat(), fc.boolean()).map(([which, moves]): Step => (facts) => {
    const { ready } = planBuilds(facts);
    const next = ready[which % Math.max(1, ready.length)];
    return next === undefined ? facts : judge(facts, next, moves ? fitAndMoved : fitAndSame);
  }),
  fc.nat().map((which): Step => (facts) => {
    const { ready } = planBuilds(facts);
    const next = ready[which % Math.max(1, ready.length)];
    const until = { state: "outstanding", message: "no space left", nextTryAt: minutesLater(5) } as const;
    return next === undefined ? facts : judge(facts, next, () => until);
  }),
  fc.nat().map((which): Step => (facts) => {
    const { ready } = planBuilds(facts);
    const next = ready[which % Math.max(1, ready.length)];
    return { ...facts, running: new Set(next === undefined ? [] : [buildKey(next.module, next.inputs)]) };
  }),
  // Also one that waits by now: an older build of it runs to its end (R16).
  fc.nat().map((which): Step => (facts) => ({
    ...facts,
    running: new Set([buildKey(name(which), `sha256:${"0".repeat(64)}`)]),
  })),
  fc.tuple(fc.nat(), fc.boolean()).map(
    ([which, is]): Step =>
      (facts) =>
        withModule(facts, name(which), { problem: is ? "it does not read" : null }),
  ),
  fc.tuple(fc.nat(), fc.nat(size), fc.nat(3)).map(
    ([which, to, line]): Step =>
      (facts) =>
        withModule(facts, name(which), {
          edges: [{ dependency: `m${to}`, kind: line === 0 ? "test" : "build", file: "src/index.ts", line }],
        }),
  ),
  fc.constantFrom("1", "2").map((version): Step => (facts) => ({ ...facts, builders: { typescript: version } })),
  fc.constantFrom(minutesLater(-60), minutesLater(3), minutesLater(10)).map((now): Step => (facts) => ({
    ...facts,
    now,
  })),
  fc.nat().map((which): Step => (facts) => ({
    ...facts,
    modules: new Map([...facts.modules].filter(([module]) => module !== name(which))),
  })),
);

/** What a look saw of some modules, laid over what is on record, which stays as it is. */
interface Asked {
  readonly isKept: boolean;
  readonly see: Step;
}
const anyNewer: fc.Arbitrary<(module: ModuleFacts) => ModuleFacts | null> = fc.oneof(
  fc.constant((module: ModuleFacts) => module),
  fc.constant(() => null),
  fc.nat(3).map((at) => (module: ModuleFacts) => ({ ...module, tree: `${at}`.repeat(40) })),
  fc.constant((module: ModuleFacts) => ({ ...module, problem: "it does not read" })),
  fc.constant((module: ModuleFacts) => ({ ...module, unread: "its source is away" })),
  fc.nat(size).map((to) => (module: ModuleFacts) => ({
    ...module,
    edges: [{ dependency: `m${to}`, kind: "build" as const, file: "src/index.ts", line: 1 }],
  })),
);
const anyLook: fc.Arbitrary<Step> = fc
  .array(fc.tuple(fc.nat(size - 1), anyNewer), { maxLength: 3 })
  .map((newer) => (facts) => {
    const laid = newer.flatMap(([at, change]) => {
      const module = facts.modules.get(name(at));
      return module === undefined ? [] : [[name(at), change(module)] as const];
    });
    return { ...facts, modules: layFacts(facts.modules, new Map(laid)) };
  });

const anyAsked: fc.Arbitrary<Asked> = fc.oneof(
  { arbitrary: anyLook.map((see) => ({ isKept: false, see })), weight: 4 },
  { arbitrary: anyStep.map((see) => ({ isKept: true, see })), weight: 1 },
);

it("looks that see a few modules otherwise plan as if everything were worked out anew, in between and after each other", () => {
  fc.assert(
    fc.property(anySpec, fc.array(anyAsked, { minLength: 2, maxLength: 25 }), (spec, asked) => {
      const memory = createPlanMemory();
      let facts = buildMeshOfModules(spec);
      for (const [at, { isKept, see }] of asked.entries()) {
        const before = facts;
        const seen = orAsItWas(() => see(before, at), before);
        if (isKept) facts = seen;
        const anew = { ...seen, modules: new Map(seen.modules) };
        const plan = planBuilds(seen, memory);
        expect(plan).toEqual(planBuilds(anew));
        expect(rebuildSet(seen, { plan, memory })).toEqual(rebuildSet(anew));
      }
    }),
    { numRuns: 200 },
  );
});

/** A module that is gone is not touched any more. */
function orAsItWas(act: () => BuildFacts, facts: BuildFacts): BuildFacts {
  try {
    return act();
  } catch (error) {
    if (String(error).includes("no module")) return facts;
    throw error;
  }
}

it("a plan that begins with another's memory is the plan that it would be without, after any history", () => {
  fc.assert(
    fc.property(anySpec, fc.array(anyStep, { minLength: 1, maxLength: 25 }), (spec, steps) => {
      const memory = createPlanMemory();
      let facts = buildMeshOfModules(spec);
      for (const [at, step] of steps.entries()) {
        const before = facts;
        facts = orAsItWas(() => step(before, at), before);
        const plan = planBuilds(facts, memory);
        expect(plan).toEqual(planBuilds(facts));
        expect(rebuildSet(facts, { plan, memory })).toEqual(rebuildSet(facts));
        // Asked again in the same moment, nothing is worked out again.
        if (plan.ready.length + plan.building.length === 0) expect(planBuilds(facts, memory)).toBe(plan);
      }
    }),
    { numRuns: 150 },
  );
});
