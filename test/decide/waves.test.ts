import { describe, expect, it } from "vitest";
import type { Name } from "../../src/core/names.ts";
import { accountWave, type Accounted, type WaveResult } from "../../src/decide/account-wave.ts";
import type { BuildFacts } from "../../src/decide/build-facts.ts";
import { planBuilds } from "../../src/decide/plan-builds.ts";
import { rebuildSet } from "../../src/decide/rebuild-set.ts";
import {
  buildMeshOfModules,
  fitAndMoved,
  fitAndSame,
  judge,
  runWave,
  withCommit,
  withModule,
  type Judge,
} from "./support/build-mesh-of-modules.ts";

/** A wave from what is announced to what is accounted for, with the order in which modules were built. */
function playWave(start: BuildFacts, by: Judge, between: (facts: BuildFacts) => BuildFacts = (facts) => facts) {
  const announced = rebuildSet(start).map(({ module }) => module);
  const results = new Map<Name, WaveResult>();
  const built: Name[] = [];
  let facts = start;
  for (let next = planBuilds(facts).ready[0]; next !== undefined; next = planBuilds(facts).ready[0]) {
    const { state = "fit", artifact = null, message = "" } = by(next);
    if (state !== "building") results.set(next.module, { state, inputs: next.inputs, artifact, message });
    built.push(next.module);
    facts = between(judge(facts, next, by));
  }
  const rows = accountWave(announced, results, planBuilds(facts));
  return { announced, built, rows: new Map<Name, Accounted>(rows.map((row) => [row.module, row])), facts };
}

function outcomes(rows: ReadonlyMap<Name, Accounted>): Record<Name, string> {
  return Object.fromEntries([...rows].map(([module, row]) => [module, row.outcome]));
}

/** Twelve: m01 under all; m05 under m08 and m10; m12 on top of m10. */
const twelve = buildMeshOfModules({
  m01: [],
  m02: ["m01"],
  m03: ["m01"],
  m04: ["m02"],
  m05: ["m01"],
  m06: ["m03"],
  m07: ["m04"],
  m08: ["m05"],
  m09: ["m06"],
  m10: ["m05", "m07"],
  m11: ["m09"],
  m12: ["m10"],
});

describe("twelve are rebuilt and the fifth fails its tests (R9, case 9)", () => {
  const failing: Judge = (build) =>
    build.module === "m05" ? { state: "unfit", message: "1 test failed" } : fitAndMoved(build);

  it("those not behind it get verdicts, those behind it wait for it, and none is failed for it", () => {
    const wave = playWave(withCommit(runWave(twelve).facts, "m01", 2), failing);
    expect(wave.announced).toHaveLength(12);
    const rows = outcomes(wave.rows);
    for (const module of ["m01", "m02", "m03", "m04", "m06", "m07", "m09", "m11"]) expect(rows[module]).toBe("built");
    expect(rows["m05"]).toBe("failed");
    for (const module of ["m08", "m10", "m12"])
      expect(wave.rows.get(module)).toMatchObject({ outcome: "waiting", for: ["m05"] });
    expect(new Set(wave.built).size).toBe(wave.built.length);
  });

  it("when it is mended only it and those behind it are built", () => {
    const failed = playWave(withCommit(runWave(twelve).facts, "m01", 2), failing);
    const mended = playWave(withCommit(failed.facts, "m05", 2), fitAndMoved);
    expect(mended.built.toSorted()).toEqual(["m05", "m08", "m10", "m12"]);
    expect(new Set(Object.values(outcomes(mended.rows)))).toEqual(new Set(["built"]));
  });
});

describe("early cutoff in a diamond (R10)", () => {
  const diamond = runWave(
    buildMeshOfModules({ core: [], left: ["core"], right: ["core"], top: ["left", "right"] }),
  ).facts;

  it("on one arm does not cut the other: top is built once, after the arm that moved", () => {
    const wave = playWave(withCommit(diamond, "core", 2), (build) =>
      build.module === "left"
        ? { state: "fit", artifact: diamond.modules.get("left")?.lastFit?.artifact ?? null }
        : fitAndMoved(build),
    );
    expect(wave.built).toEqual(["core", "left", "right", "top"]);
    expect(outcomes(wave.rows)).toEqual({ core: "built", left: "built", right: "built", top: "built" });
  });

  it("at the root ends all of it: dependents are checked, unchanged, and not built (case 8)", () => {
    const same = runWave(
      buildMeshOfModules({ core: [], left: ["core"], right: ["core"], top: ["left", "right"] }),
      fitAndSame,
    );
    const wave = playWave(withCommit(same.facts, "core", 2), fitAndSame);
    expect(wave.built).toEqual(["core"]);
    expect(outcomes(wave.rows)).toEqual({ core: "built", left: "cut-off", right: "cut-off", top: "cut-off" });
    expect(wave.rows.get("top")?.why).toMatch(/^checked, unchanged/);
  });
});

describe("what moves in the middle of a wave", () => {
  const start = runWave(buildMeshOfModules({ core: [], app: ["core"], page: ["app"] })).facts;

  it("a core that moves again: what was built stands, the rest is built against the newest alone (case 1)", () => {
    let moved = false;
    const wave = playWave(withCommit(start, "core", 2), fitAndMoved, (facts) => {
      if (moved) return facts;
      moved = true;
      return withCommit(facts, "core", 3);
    });
    expect(wave.built).toEqual(["core", "core", "app", "page"]);
    expect(new Set(Object.values(outcomes(wave.rows)))).toEqual(new Set(["built"]));
  });

  it("a module that is deleted: who imports it says so at once, and it is accounted for", () => {
    const facts = withCommit(start, "core", 2);
    const announced = rebuildSet(facts).map(({ module }) => module);
    const modules = new Map(facts.modules);
    modules.delete("core");
    const plan = planBuilds({ ...facts, modules });
    expect(plan.broken).toMatchObject([
      { module: "app", why: "app imports core at src/index.ts:1, which no module publishes" },
    ]);
    const rows = new Map(accountWave(announced, new Map(), plan).map((row) => [row.module, row]));
    expect(outcomes(rows)).toEqual({ core: "superseded", app: "failed", page: "waiting" });
    expect(rows.get("core")?.why).toBe("core is no module any more");
  });

  it("a removed edge flags who was built against it: the old graph counts too", () => {
    const facts = withCommit(withModule(start, "app", { edges: [] }), "app", 2);
    const wave = playWave(facts, fitAndMoved);
    expect(wave.announced).toEqual(["app", "page"]);
    expect(wave.built).toEqual(["app", "page"]);
  });
});

describe("each module of a wave is accounted for (R9)", () => {
  const whole = planBuilds(runWave(twelve).facts);
  const none = { ...whole, current: [], waiting: [], unfit: [], outstanding: [], broken: [], ready: [], building: [] };

  it.each([
    ["fit", "built", "m01 was built and is fit"],
    ["unfit", "failed", "m01 is unfit: so it is"],
    ["outstanding", "failed", "m01 is outstanding: so it is"],
    ["superseded", "superseded", "a newer m01 takes its place: so it is"],
  ] as const)("by what came of it: %s", (state, outcome, why) => {
    const result: WaveResult = { state, inputs: "sha256:any", artifact: null, message: "so it is" };
    expect(accountWave(["m01"], new Map([["m01", result]]), none)).toEqual([{ module: "m01", outcome, why }]);
  });

  it("or by where it stands, where this wave did not build it", () => {
    const moved = withCommit(runWave(twelve).facts, "m01", 2);
    const [ready] = planBuilds(moved).ready;
    if (ready === undefined) throw new Error("m01 is ready");
    const building = planBuilds(judge(moved, ready, () => ({ state: "building" }))).building;
    const outstanding = [
      { module: "m01", kind: "outstanding" as const, inputs: ready.inputs, retryAt: null, why: "no disk" },
    ];
    const account = (plan: typeof whole) => accountWave(["m01"], new Map(), plan)[0];
    expect(account({ ...none, ready: [ready] })).toMatchObject({
      outcome: "superseded",
      why: expect.stringMatching(/^the next wave builds it: /),
    });
    expect(account({ ...none, building })).toMatchObject({
      outcome: "superseded",
      why: expect.stringMatching(/^the next wave builds it: /),
    });
    expect(account({ ...none, outstanding })).toEqual({
      module: "m01",
      outcome: "failed",
      why: "m01 is outstanding: no disk",
    });
  });
});
