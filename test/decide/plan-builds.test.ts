import { describe, expect, it } from "vitest";
import { buildKey, type BuildFacts } from "../../src/decide/build-facts.ts";
import { explainModule } from "../../src/decide/explain-module.ts";
import { planBuilds, type PlannedBuild } from "../../src/decide/plan-builds.ts";
import {
  buildMeshOfModules,
  fitAndSame,
  judge,
  runWave,
  withCommit,
  withModule,
  withRecord,
} from "./support/build-mesh-of-modules.ts";
import { minutesLater } from "./support/build-report.ts";

const chain = { core: [], lib: ["core"], meshboard: ["lib", "core"] };
const built = (spec: Parameters<typeof buildMeshOfModules>[0] = chain): BuildFacts =>
  runWave(buildMeshOfModules(spec)).facts;
const names = (rows: readonly { readonly module: string }[]): string[] => rows.map(({ module }) => module);

function firstReady(facts: BuildFacts): PlannedBuild {
  const [first] = planBuilds(facts).ready;
  if (first === undefined) throw new Error("nothing is ready");
  return first;
}

describe("what is built, and in what order (R8, R9)", () => {
  it("is what imports nothing first, and each module once", () => {
    const plan = planBuilds(buildMeshOfModules(chain));
    expect(names(plan.ready)).toEqual(["core"]);
    expect(plan.ready[0]?.why).toBe("core was never fit");
    expect(plan.waiting).toMatchObject([
      { module: "lib", for: ["core"] },
      { module: "meshboard", for: ["core"] },
    ]);
    expect(names(runWave(buildMeshOfModules(chain)).built)).toEqual(["core", "lib", "meshboard"]);
  });

  it("is everything independent at once", () => {
    const plan = planBuilds(runWave(buildMeshOfModules({ core: [] })).facts);
    expect(names(plan.current)).toEqual(["core"]);
    expect(names(planBuilds(buildMeshOfModules({ b: [], a: [], c: ["a"] })).ready)).toEqual(["a", "b"]);
  });

  it("is nothing when only paths outside the module moved (R8, case 8)", () => {
    const moved = withModule(built(), "core", { commit: "f".repeat(40) });
    expect(names(planBuilds(moved).current)).toEqual(["core", "lib", "meshboard"]);
  });

  it("is the dependent when what it is built against moved, with the edge in the reason (R6, case 7)", () => {
    const core = runWave(withCommit(built(), "core", 2)).built;
    expect(names(core)).toEqual(["core", "lib", "meshboard"]);
    expect(core[0]?.why).toMatch(/^core is out of date: its source moved \([0-9a-f]{7} → [0-9a-f]{7}\)$/);
    expect(core[1]?.why).toMatch(
      /^lib is out of date: core moved \([0-9a-f]{7} → [0-9a-f]{7}\); lib imports core at src\/index.ts:1$/,
    );
  });

  it("ends where the output is what it was (R10, case 8)", () => {
    const start = runWave(buildMeshOfModules(chain), fitAndSame).facts;
    expect(names(runWave(withCommit(start, "core", 2), fitAndSame).built)).toEqual(["core"]);
  });

  it("is every module of a language whose toolchain moved (R8, case 7)", () => {
    const facts = { ...built({ core: [], page: [] }), toolchains: { typescript: "node 22" } };
    expect(firstReady(facts).why).toBe(
      "core is out of date: the toolchain moved (node 20.20.2, typescript 7.0.2 → node 22)",
    );
    expect(names(planBuilds(facts).ready)).toEqual(["core", "page"]);
  });

  it("is everything when the builder's rules moved", () => {
    const facts = { ...built(), builders: { typescript: "2" } };
    expect(firstReady(facts).why).toBe("core is out of date: the builder's rules moved (1 → 2)");
  });

  it("says which import is new and which is gone", () => {
    const facts = built();
    const edges = [{ dependency: "lib", kind: "build", file: "src/new.ts", line: 4 }] as const;
    const more = withModule(withModule(facts, "core", { edges: [] }), "meshboard", { edges });
    expect(firstReady(more).why).toBe("meshboard is out of date: none of its imports leads to core any more");
    expect(firstReady(withModule(facts, "lib", { edges: [] })).why).toBe(
      "lib is out of date: none of its imports leads to core any more",
    );
  });
});

describe("a verdict is about exact inputs (R11)", () => {
  it("unfit is not built again, and what is behind it waits for it by name (case 9)", () => {
    const facts = withCommit(built({ ...chain, other: ["core"], top: ["meshboard"] }), "lib", 2);
    const unfit = judge(facts, firstReady(facts), () => ({ state: "unfit", message: "1 test failed" }));
    const plan = planBuilds(unfit);
    expect(plan.unfit).toMatchObject([{ module: "lib", why: "1 test failed" }]);
    expect(plan.waiting).toMatchObject([
      { module: "meshboard", for: ["lib"], why: "meshboard waits for lib (unfit)" },
      { module: "top", for: ["lib"], why: "top waits for lib (unfit)" },
    ]);
    expect(names(plan.current)).toEqual(["core", "other"]);
    expect(names(planBuilds(withCommit(unfit, "lib", 3)).ready)).toEqual(["lib"]);
  });

  it("outstanding is tried again when it is due, never before (case 10)", () => {
    const facts = buildMeshOfModules({ core: [] });
    const full = { state: "outstanding", message: "no space left", nextTryAt: minutesLater(5) } as const;
    const later = judge(facts, firstReady(facts), () => full);
    expect(planBuilds(later).outstanding).toMatchObject([
      { module: "core", retryAt: minutesLater(5), why: "no space left" },
    ]);
    expect(firstReady({ ...later, now: minutesLater(5) }).why).toBe("core is tried again: no space left");
  });

  it("outstanding is tried again where its next try is further ahead than any: a clock was set back since (R33)", () => {
    const facts = buildMeshOfModules({ core: [] });
    const full = { state: "outstanding", message: "no space left", nextTryAt: minutesLater(300) } as const;
    const ahead = judge(facts, firstReady(facts), () => full);
    expect(firstReady(ahead).why).toBe("core is tried again: no space left");
    expect(planBuilds({ ...ahead, now: minutesLater(285) }).outstanding).toMatchObject([{ module: "core" }]);
  });

  it("under way is lost where its worker was heard of at a time to come, of a clock that was set back since (R11, R33)", () => {
    const facts = buildMeshOfModules({ core: [] });
    const heard = (heardAt: string) =>
      judge(facts, firstReady(facts), () => ({ state: "building", heardAt, startedAt: heardAt }));
    expect(planBuilds(heard(minutesLater(1))).building).toMatchObject([{ module: "core" }]);
    expect(firstReady(heard(minutesLater(300))).why).toContain("the build that was under way was lost");
  });

  it("goes back with the source: what was fit is current again without building", () => {
    const facts = built({ core: [] });
    const newer = runWave(withCommit(facts, "core", 2)).facts;
    expect(names(planBuilds(withCommit(newer, "core", 1)).current)).toEqual(["core"]);
  });
});

describe("what was started runs to its end (R16, case 6)", () => {
  it("and the newest comes after it", () => {
    const facts = buildMeshOfModules({ core: [] });
    const first = firstReady(facts);
    const running = { ...withCommit(facts, "core", 2), running: new Set([buildKey("core", first.inputs)]) };
    expect(planBuilds(running).ready).toEqual([]);
    expect(planBuilds(running).building).toMatchObject([
      { module: "core", inputs: first.inputs, why: "core is being built; the newest is built after it" },
    ]);
    const next = firstReady({ ...judge(running, first), running: new Set() });
    expect(next.inputs).not.toBe(first.inputs);
  });

  it("also by another worker, until it must be lost", () => {
    const facts = buildMeshOfModules({ core: [] });
    const recorded = withRecord(facts, "core", firstReady(facts).inputs, { state: "building" });
    expect(planBuilds(recorded).building).toMatchObject([{ why: "core is being built" }]);
    expect(firstReady({ ...recorded, now: minutesLater(2) }).why).toBe(
      "core was never fit; the build that was under way was lost",
    );
  });
});

describe("what cannot be built says why", () => {
  it("a cycle of build edges, the shortest first; the rest goes on (R6, case 15)", () => {
    const plan = planBuilds(
      buildMeshOfModules({ a: ["b"], b: ["c"], c: ["a"], x: ["y"], y: ["x"], free: [], behind: ["x"] }),
    );
    expect(plan.cycles).toEqual([
      ["x", "y"],
      ["a", "b", "c"],
    ]);
    expect(names(plan.broken)).toEqual(["a", "b", "c", "x", "y"]);
    expect(plan.broken[0]?.why).toMatch(/^a cannot be built: its imports go round, a → b → c → a \(a imports b at /);
    expect(names(plan.ready)).toEqual(["free"]);
    expect(plan.waiting).toMatchObject([{ module: "behind", for: ["x"], why: "behind waits for x (broken)" }]);
  });

  it("a cycle in which one import is of types only: which, and what to do", () => {
    const edge = { dependency: "b", kind: "build", file: "src/types.ts", line: 3, typesOnly: true } as const;
    const facts = withModule(buildMeshOfModules({ a: [], b: ["a"] }), "a", { edges: [edge] });
    expect(planBuilds(facts).broken[0]?.why).toBe(
      "a cannot be built: its imports go round, a → b → a (a imports b at src/types.ts:3, types only; " +
        "b imports a at src/index.ts:1): a needs only types of b, and these too come of a build of b; move them to a module that both import",
    );
  });

  it("an import that no module publishes", () => {
    expect(planBuilds(buildMeshOfModules({ page: ["gone"] })).broken).toMatchObject([
      { why: "page imports gone at src/index.ts:1, which no module publishes" },
    ]);
  });

  it("a manifest that was refused, and a language nobody builds here", () => {
    const facts = withModule(buildMeshOfModules({ page: [], other: [] }), "page", {
      problem: "mesh.yaml:3: unknown key",
    });
    const plan = planBuilds(withModule(facts, "other", { language: "cobol" }));
    expect(plan.broken.map(({ why }) => why)).toEqual([
      "other: there is no toolchain for cobol here",
      "mesh.yaml:3: unknown key",
    ]);
  });

  it("a module may import itself by its name", () => {
    expect(names(planBuilds(buildMeshOfModules({ core: ["core"] })).ready)).toEqual(["core"]);
  });
});

describe("test edges", () => {
  it("are inputs: the tests run again when what they use moved", () => {
    const facts = built({ core: [], page: ["test:core"] });
    expect(names(runWave(withCommit(facts, "core", 2)).built)).toEqual(["core", "page"]);
  });

  it("may go back to what is built against the module, and the circle ends", () => {
    // core's tests use page, page is built against core. It was built once before its tests did.
    const facts = built({ core: [], page: ["core"] });
    const edges = [{ dependency: "page", kind: "test", file: "src/core.test.ts", line: 1 }] as const;
    const circle = withCommit(withModule(facts, "core", { edges }), "core", 2);
    // Tests are no part of an artifact: only source and build dependencies make it.
    const byCode = ({ module, closure }: PlannedBuild) => {
      const code = module === "core" ? [closure.tree] : [closure.tree, closure.dependencies["core"] ?? ""];
      return { state: "fit", artifact: `sha256:${[module, ...code].join("").padEnd(64, "0").slice(0, 64)}` } as const;
    };
    const wave = runWave(circle, byCode);
    expect(names(wave.built)).toEqual(["core", "page", "core"]);
    expect(planBuilds(wave.facts).current).toHaveLength(2);
    expect(planBuilds(wave.facts).cycles).toEqual([]);
  });

  it("that were never satisfied say how to begin", () => {
    const plan = planBuilds(buildMeshOfModules({ core: ["test:page"], page: ["core"] }));
    expect(plan.broken).toMatchObject([
      { module: "core", why: expect.stringContaining("let core be built once without them") },
    ]);
  });
});

describe("why (R6)", () => {
  it("tells what a module depends on, who depends on it by which edge, and what it reaches in order", () => {
    const facts = built({ core: [], lib: ["core"], page: ["lib", "test:core"] });
    expect(explainModule(facts, "core")).toEqual({
      module: "core",
      standing: "current",
      why: ["it is built from exactly what its source and its dependencies were when they were compared"],
      waitsFor: [],
      dependsOn: [],
      dependents: [
        { module: "lib", kind: "build", at: "src/index.ts:1" },
        { module: "page", kind: "test", at: "src/index.ts:2" },
      ],
      reaches: ["lib", "page"],
    });
    expect(explainModule(withCommit(facts, "core", 2), "page")).toMatchObject({
      standing: "waiting",
      why: [
        "page waits for core (to be built)",
        expect.stringMatching(
          /^page may be out of date: core moved \([0-9a-f]{7} → [0-9a-f]{7}\); page imports core at /,
        ),
      ],
    });
    expect(explainModule(facts, "gone")).toBeNull();
  });
});
