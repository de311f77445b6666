import { describe, expect, it } from "vitest";
import { accountWave, type WaveResult } from "../../src/decide/account-wave.ts";
import type { BuildFacts } from "../../src/decide/build-facts.ts";
import { planBuilds } from "../../src/decide/plan-builds.ts";
import { rebuildSet } from "../../src/decide/rebuild-set.ts";
import { buildMeshOfModules, fitAndSame, runWave, withCommit, withModule } from "./support/build-mesh-of-modules.ts";

const mesh = { core: [], lib: ["core"], meshboard: ["lib"], tests: ["test:lib"], other: [] };
const built = (): BuildFacts => runWave(buildMeshOfModules(mesh)).facts;
const announced = (facts: BuildFacts): string[] => rebuildSet(facts).map(({ module }) => module);

describe("the rebuild set (R9)", () => {
  it("is what moved and all that is reached over inbound edges, in build order", () => {
    const rows = rebuildSet(withCommit(built(), "core", 2));
    expect(rows.map(({ module }) => module)).toEqual(["core", "lib", "meshboard", "tests"]);
    expect(rows[1]?.why).toMatch(
      /^lib may be out of date: core moved \([0-9a-f]{7} → [0-9a-f]{7}\); lib imports core at src\/index.ts:1$/,
    );
    expect(rows[2]?.why).toMatch(
      /^meshboard may be out of date: core moved \(.*\); lib imports core at src\/index.ts:1; meshboard imports lib at src\/index.ts:1$/,
    );
  });

  it("is in build order, too, where it is a few of many", () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`other-${at}`, []]));
    const facts = runWave(buildMeshOfModules({ ...many, app: ["lib"], lib: ["zcore"], zcore: [] })).facts;
    expect(announced(withCommit(facts, "zcore", 2))).toEqual(["zcore", "lib", "app"]);
  });

  it("is empty when nothing moved", () => {
    expect(announced(built())).toEqual([]);
  });

  it("asks also who was built against a module and imports it no more", () => {
    expect(announced(withCommit(withModule(built(), "meshboard", { edges: [] }), "lib", 2))).toEqual([
      "lib",
      "meshboard",
      "tests",
    ]);
  });

  it("has what waits although its own source moved, and nothing that cannot be built", () => {
    const broken = withModule(withCommit(built(), "meshboard", 2), "lib", { problem: "mesh.yaml:1: refused" });
    expect(announced(broken)).toEqual(["meshboard"]);
  });
});

describe("what was announced is accounted for (R9)", () => {
  const inputsOf = (facts: BuildFacts, module: string): string => {
    const found = planBuilds(facts);
    const row = [...found.current, ...found.unfit].find((one) => one.module === module);
    if (row === undefined) throw new Error(`${module} is judged`);
    return row.inputs;
  };

  it("as built, cut off, failed, waiting or superseded", () => {
    const facts = withCommit(runWave(buildMeshOfModules(mesh), fitAndSame).facts, "core", 2);
    const after = runWave(facts, fitAndSame).facts;
    const results = new Map<string, WaveResult>([
      ["core", { state: "fit", inputs: inputsOf(after, "core"), artifact: null, message: "" }],
    ]);
    expect(accountWave([...announced(facts), "gone"], results, planBuilds(after))).toEqual([
      { module: "core", outcome: "built", why: "core was built and is fit" },
      { module: "lib", outcome: "cut-off", why: "checked, unchanged: nothing that lib is built from moved in the end" },
      {
        module: "meshboard",
        outcome: "cut-off",
        why: "checked, unchanged: nothing that meshboard is built from moved in the end",
      },
      {
        module: "tests",
        outcome: "cut-off",
        why: "checked, unchanged: nothing that tests is built from moved in the end",
      },
      { module: "gone", outcome: "superseded", why: "gone is no module any more" },
    ]);
  });

  it("names whom it waits for when something failed (case 9)", () => {
    const facts = withCommit(built(), "core", 2);
    const after = runWave(facts, ({ module }) => {
      return module === "core" ? { state: "unfit", message: "1 test failed" } : { state: "building" };
    }).facts;
    const results = new Map<string, WaveResult>([
      ["core", { state: "unfit", inputs: inputsOf(after, "core"), artifact: null, message: "1 test failed" }],
    ]);
    expect(accountWave(announced(facts), results, planBuilds(after))).toEqual([
      { module: "core", outcome: "failed", why: "core is unfit: 1 test failed" },
      { module: "lib", outcome: "waiting", why: "lib waits for core (unfit)", for: ["core"] },
      { module: "meshboard", outcome: "waiting", why: "meshboard waits for core (unfit)", for: ["core"] },
      { module: "tests", outcome: "waiting", why: "tests waits for core (unfit)", for: ["core"] },
    ]);
  });

  it("leaves to the next wave what moved again meanwhile (case 1)", () => {
    const facts = withCommit(built(), "core", 2);
    const again = withCommit(facts, "core", 3);
    const rows = accountWave(["core"], new Map(), planBuilds(again));
    expect(rows).toMatchObject([{ outcome: "superseded", why: expect.stringContaining("the next wave builds it") }]);
  });
});
