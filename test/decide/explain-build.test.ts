import { describe, expect, it } from "vitest";
import { buildKey, type BuildFacts, type CommitFacts } from "../../src/decide/build-facts.ts";
import { explainModule } from "../../src/decide/explain-module.ts";
import { planBuilds } from "../../src/decide/plan-builds.ts";
import { rebuildSet } from "../../src/decide/rebuild-set.ts";
import {
  buildMeshOfModules,
  judge,
  objectId,
  runWave,
  withCommit,
  withModule,
} from "./support/build-mesh-of-modules.ts";
import { minutesLater } from "./support/build-report.ts";

const chain = { core: [], mid: ["core"], page: ["mid"], other: [] };

function commitOf(label: string, subject: string): CommitFacts {
  return { id: objectId(label), subject, at: minutesLater(-12) };
}

/** All fit; then a commit to one of them, with its words. */
function moved(module: string, spec: Parameters<typeof buildMeshOfModules>[0] = chain): BuildFacts {
  const start = buildMeshOfModules(spec);
  const before = withModule(start, module, { moved: commitOf("old", "Before") });
  return withModule(withCommit(runWave(before).facts, module, 2), module, { moved: commitOf("new", "Say hello") });
}

/** Builds what is ready until this module is, keeping what made each artifact as the records do. */
function buildUntilReady(start: BuildFacts, module: string): BuildFacts {
  let facts = start;
  const makers = new Map(facts.makers);
  for (let step = 0; step < 20; step += 1) {
    for (const { module: name, lastFit } of facts.modules.values())
      if (lastFit !== null) makers.set(buildKey(name, lastFit.artifact), lastFit);
    const { ready } = planBuilds(facts);
    const [next] = ready;
    if (next === undefined || ready.some((one) => one.module === module)) return { ...facts, makers };
    facts = judge(facts, next);
  }
  throw new Error(`${module} never became ready`);
}

const ids = `${objectId("old").slice(0, 7)} → ${objectId("new").slice(0, 7)}`;
const core = `core moved (${ids}, commit "Say hello", 12 min ago)`;

function why(facts: BuildFacts, module: string): string {
  return explainModule(facts, module)?.why.join("\n") ?? "";
}

describe("is this current, and why not: the chain from the commit to the module (R8, case 7)", () => {
  it("names the commit of the module's own source", () => {
    expect(why(moved("core"), "core")).toBe(
      `core is out of date: its source moved (${ids}, commit "Say hello", 12 min ago)`,
    );
  });

  it("names the commit of what it imports, and where", () => {
    expect(why(buildUntilReady(moved("core"), "mid"), "mid")).toBe(
      `mid is out of date: ${core}; mid imports core at src/index.ts:1`,
    );
  });

  it("names the commit at the root of a longer chain, whose own source did not move", () => {
    expect(why(buildUntilReady(moved("core"), "page"), "page")).toBe(
      `page is out of date: ${core}; mid imports core at src/index.ts:1; page imports mid at src/index.ts:1`,
    );
  });

  it("says the same of what only may be out of date, before anything is built", () => {
    const rows = rebuildSet(moved("core"), { saidAt: minutesLater(0) });
    expect(rows.map((row) => row.module)).toEqual(["core", "mid", "page"]);
    expect(rows[2]?.why).toBe(
      `page may be out of date: ${core}; mid imports core at src/index.ts:1; page imports mid at src/index.ts:1`,
    );
  });

  it("leaves ages out of sentences that are kept: the same plan is the same text an hour later", () => {
    const [first] = planBuilds(moved("core")).ready;
    expect(first?.why).toBe(`core is out of date: its source moved (${ids}, commit "Say hello")`);
    expect(planBuilds({ ...moved("core"), now: minutesLater(60) }).ready[0]?.why).toBe(first?.why);
  });

  it("says what it can where the build that made an artifact is no longer recorded", () => {
    const facts = { ...buildUntilReady(moved("core"), "page"), makers: new Map() };
    expect(why(facts, "page")).toMatch(
      /^page is out of date: mid moved \([0-9a-f]{7} → [0-9a-f]{7}\); page imports mid at src\/index.ts:1$/,
    );
  });

  it.each([
    ["toolchain", { toolchains: { typescript: "node 22" } }, /the toolchain moved \(node 20.* → node 22\)/],
    ["builder", { builders: { typescript: "2" } }, /the builder's rules moved \(1 → 2\)/],
  ])("says the %s", (_what, parts, expected) => {
    expect(why({ ...runWave(buildMeshOfModules(chain)).facts, ...parts }, "other")).toMatch(expected);
  });

  it.each([
    ["third parties", { thirdParties: `sha256:${"1".repeat(64)}` }, /its third-party packages moved/],
    ["a setting", { settings: { sandbox: "none" } }, /setting sandbox moved \(not set → none\)/],
    ["an import that is gone", { edges: [] }, /none of its imports leads to core any more/],
  ] as const)("says %s", (_what, parts, expected) => {
    expect(why(withModule(runWave(buildMeshOfModules(chain)).facts, "mid", parts), "mid")).toMatch(expected);
  });

  it("says of an import that leads nowhere by now what became of the library, and not that it was taken out", () => {
    const facts = withModule(runWave(buildMeshOfModules(chain)).facts, "mid", { edges: [] });
    expect(why(withModule(facts, "core", { problem: "there is no mesh.yaml" }), "mid")).toBe(
      "mid is out of date: none of its imports leads to core any more, which is broken: there is no mesh.yaml",
    );
  });

  it("of what is above a toolchain that moved beneath says whose", () => {
    const facts = withModule(runWave(buildMeshOfModules(chain)).facts, "core", { settings: { sandbox: "none" } });
    expect(why(buildUntilReady(facts, "mid"), "mid")).toMatch(
      /^mid is out of date: of core, setting sandbox moved \(.*\); mid imports core at src\/index.ts:1$/,
    );
  });
});

describe("what is not there any more", () => {
  it("is named by those who imported it: deleted, or renamed (case 14)", () => {
    const facts = runWave(buildMeshOfModules(chain)).facts;
    const modules = new Map(facts.modules);
    modules.delete("core");
    const plan = planBuilds({ ...facts, modules });
    expect(plan.broken).toEqual([
      {
        kind: "broken",
        module: "mid",
        why: "mid imports core at src/index.ts:1, which no module publishes",
      },
    ]);
    expect(plan.waiting).toMatchObject([{ module: "page", for: ["mid"] }]);
    expect(plan.current.map((row) => row.module)).toEqual(["other"]);
  });

  it("still flags who was built against it when the import is gone with it: the old graph and the new (R9)", () => {
    const facts = withModule(runWave(buildMeshOfModules(chain)).facts, "mid", { edges: [] });
    expect(rebuildSet(withCommit(facts, "core", 2)).map((row) => row.module)).toEqual(["core", "mid", "page"]);
  });
});

describe("a cycle (case 15)", () => {
  it("is named, the shortest first, with the import of each step; the rest goes on", () => {
    const facts = buildMeshOfModules({ a: ["b"], b: ["c", "a"], c: ["a"], d: ["e"], e: ["f"], f: ["d"], other: [] });
    const plan = planBuilds(facts);
    expect(plan.cycles).toEqual([
      ["a", "b"],
      ["d", "e", "f"],
    ]);
    expect(plan.broken[0]?.why).toBe(
      "a cannot be built: its imports go round, a → b → a (a imports b at src/index.ts:1; b imports a at src/index.ts:2)",
    );
    expect(plan.ready.map((row) => row.module)).toEqual(["other"]);
  });

  it("that only tests close is none", () => {
    const plan = planBuilds(runWave(buildMeshOfModules({ a: [], b: ["a"], c: ["test:b"] })).facts);
    expect(plan.cycles).toEqual([]);
    expect(planBuilds(buildMeshOfModules({ a: ["test:b"], b: ["a"] })).cycles).toEqual([]);
  });
});

describe("why a module is unfit, or being built, now (R15)", () => {
  it("names what moved of what it is built against, where its own commit is the one that was fit", () => {
    const facts = buildUntilReady(moved("core"), "mid");
    const [next] = planBuilds(facts).ready;
    if (next === undefined) throw new Error("mid is ready");
    const unfit = {
      state: "unfit",
      artifact: null,
      message: "a test failed",
      startedAt: facts.now,
      heardAt: facts.now,
      nextTryAt: null,
    } as const;
    const judged = { ...facts, builds: new Map([...facts.builds, [buildKey("mid", next.inputs), unfit]]) };
    expect(explainModule(judged, "mid")?.why).toEqual([
      "a test failed",
      `since its last fit build: ${core}; mid imports core at src/index.ts:1`,
    ]);
  });

  it("says since when it is built, however lately its worker was heard of", () => {
    const facts = moved("core");
    const [next] = planBuilds(facts).ready;
    if (next === undefined) throw new Error("core is ready");
    const now = "2026-01-01T00:04:00.000Z";
    const under = {
      state: "building",
      artifact: null,
      message: "",
      startedAt: "2026-01-01T00:00:00.000Z",
      heardAt: "2026-01-01T00:03:57.000Z",
      nextTryAt: null,
    } as const;
    const builds = new Map([...facts.builds, [buildKey("core", next.inputs), under]]);
    expect(explainModule({ ...facts, builds, now, lostAfterMs: 60_000 }, "core")?.why).toEqual([
      "core is being built",
      "since 4 min",
    ]);
  });
});
