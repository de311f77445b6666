import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { loadBuildPlan } from "../../src/activities/load-build-facts.ts";
import { noteDamagedClone } from "../../src/activities/note-damaged-clone.ts";
import { planSteps } from "../../src/activities/plan-steps.ts";
import { createPushRecords } from "../../src/activities/push-records.ts";
import { createRepositoryPool } from "../../src/activities/repository-pool.ts";
import { createSilentSources } from "../../src/activities/silent-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { listConditions } from "../../src/store/conditions.ts";
import type { Database } from "../../src/store/database.ts";
import { addModule, listModules } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { digestOf, mesh, openRecords, type Records } from "../store/open-records.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

let records: Records;
let origin: GitRepository;
let deps: ControlDependencies;
const toolchains: Record<string, string> = {};
const settings: Record<string, string> = {};
let statements: string[] = [];
let clones = "";

beforeEach(async () => {
  records = await openRecords();
  origin = await createGitRepository();
  clones = await createTemporaryFolder();
  toolchains["files"] = "one";
  settings["sandbox"] = "on";
  const db: Database = {
    ...records.db,
    query: (sql, values) => {
      statements.push(sql);
      return records.db.query(sql, values);
    },
  };
  deps = {
    db,
    mesh,
    repositories: createRepositoryPool(clones),
    silent: createSilentSources(1_000),
    imports: createMemoryImportCache(),
    describeToolchains: () => toolchains,
    builders: { files: "one" },
    settingsFor: () => settings,
    records: createPushRecords(records.db, mesh),
    lostAfterMs: 60_000,
    starvedAfterMs: 60_000,
    limits: { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 },
    nowMs: () => Date.now(),
    random: Math.random,
    makeSuffix: () => "test",
  };
  await origin.commit({
    "app/mesh.yaml": "module: app\nlanguage: files\n",
    "next/mesh.yaml": "module: next\nlanguage: files\n",
  });
  await addRepository(db, mesh, { name: "source", url: origin.dir });
  await addModule(db, mesh, { name: "app", repository: "source", branch: "main", path: "app" });
});
afterEach(async () => {
  await records.close();
  await origin.remove();
});

/** One comparison: whether it announced a wave, and whether it went on to compare at all. */
async function compare(): Promise<{ readonly announced: boolean; readonly hasRead: boolean }> {
  statements = [];
  const { wave } = await compareAll(deps, { mesh, reasons: ["a test"], wave: null }, new AbortController().signal);
  return {
    announced: wave !== null,
    hasRead: statements.some((sql) => sql.includes("update module m set held_commit")),
  };
}

async function judge(): Promise<void> {
  await planSteps(deps, { mesh, wave: null, running: [], done: [] });
  const surroundings = { ...deps, toolchains, running: new Set<string>(), now: new Date().toISOString() };
  const { plan } = await loadBuildPlan(deps.db, mesh, surroundings);
  for (const { module, inputs, closure } of plan.ready) {
    const claim = { module, inputs, closure, commit: "a".repeat(40), claimant: "a test", staleMs: 60_000 };
    const claimed = await claimBuild(deps.db, mesh, claim);
    if (claimed.kind !== "claimed") throw new Error(`${module} is ${claimed.kind}`);
    const verdict = { verdict: "fit", artifact: digestOf(module) } as const;
    await recordVerdict(deps.db, mesh, { module, inputs, attempt: claimed.attempt, verdict, logTail: "" });
  }
  await planSteps(deps, { mesh, wave: null, running: [], done: [] });
}

const quiet = { announced: false, hasRead: false };

async function settle(): Promise<void> {
  await compare();
  await judge();
  expect(await compare()).toEqual({ announced: false, hasRead: true });
  expect(await compare()).toEqual(quiet);
  expect(await compare()).toEqual(quiet);
}

describe("a comparison in which nothing moved", () => {
  it("asks whether a record was changed, and reads none (R8)", settle);

  it("asks no clone: one that was lost is made again by the commit that needs it (case 4)", async () => {
    await settle();
    for (const name of await readdir(clones)) await rm(join(clones, name), { recursive: true });
    expect(await compare()).toEqual(quiet);
    expect(await readdir(clones)).toEqual([]);
    await origin.commit({ "app/page": "another" });
    expect(await compare()).toEqual({ announced: true, hasRead: true });
    expect(await readdir(clones)).toHaveLength(1);
  });

  it("reads the clones while one of them is said to be damaged, and ends that", async () => {
    await settle();
    await noteDamagedClone(deps.db, mesh, "source", "a test");
    await compare();
    expect(await listConditions(deps.db, mesh)).toEqual([]);
    expect(await compare()).toEqual(quiet);
  });

  it("is not believed of a source that could not be read in it: it is read when it answers (R7, R31)", async () => {
    await settle();
    const standing = async () => (await listModules(deps.db, mesh)).map((one) => one.standing);
    await rename(origin.dir, `${origin.dir}-away`);
    for (const name of await readdir(clones)) await rm(join(clones, name), { recursive: true });
    await deps.db.query("update module set known = null");
    // The same controller goes on: what it remembers is kept with its parts.
    Object.assign(deps, { repositories: createRepositoryPool(clones) });
    for (let turn = 0; turn < 3; turn += 1) await compare();
    await planSteps(deps, { mesh, wave: null, running: [], done: [] });
    expect(await standing()).toEqual(["cannot-tell"]);
    for (let turn = 0; turn < 3; turn += 1) await compare();
    await rename(`${origin.dir}-away`, origin.dir);
    expect(await compare()).toEqual({ announced: false, hasRead: true });
    await planSteps(deps, { mesh, wave: null, running: [], done: [] });
    expect(await standing()).toEqual(["current"]);
  });

  it("is never believed of something else than it was made of", async () => {
    const changes: readonly [what: string, change: () => Promise<unknown>, announces: boolean][] = [
      ["a commit", () => origin.commit({ "app/page": "another" }), true],
      [
        "another module",
        () => addModule(deps.db, mesh, { name: "next", repository: "source", branch: "main", path: "next" }),
        true,
      ],
      ["a verdict that is gone", () => deps.db.query("delete from build"), true],
      ["another toolchain", async () => (toolchains["files"] = "two"), true],
      ["another setting", async () => (settings["sandbox"] = "off"), true],
      ["a record that was written again as it was", () => deps.db.query("update module set path = path"), false],
    ];
    await settle();
    for (const [what, change, announces] of changes) {
      await change();
      expect([what, await compare()]).toEqual([what, { announced: announces, hasRead: true }]);
      await judge();
      await compare();
      expect([what, await compare()]).toEqual([what, quiet]);
    }
  });

  it("is not believed when somebody began to write before it, and ended after it", async () => {
    await settle();
    await inTransaction(records.db, { isolation: "read committed" }, async (tx) => {
      await tx.query("update module set tree = $1", ["b".repeat(40)]);
      expect(await compare()).toEqual(quiet);
    });
    expect(await compare()).toMatchObject({ announced: true, hasRead: true });
  });

  it("is made again and again while a verdict is due by time", async () => {
    await settle();
    await origin.commit({ "app/page": "another" });
    await compare();
    await planSteps(deps, { mesh, wave: null, running: [], done: [] });
    const { plan } = await loadBuildPlan(deps.db, mesh, {
      ...deps,
      toolchains,
      running: new Set(),
      now: new Date().toISOString(),
    });
    const [ready] = plan.ready;
    if (ready === undefined) throw new Error("app was to be ready");
    const claim = {
      module: "app",
      inputs: ready.inputs,
      closure: ready.closure,
      commit: "a".repeat(40),
      claimant: "x",
      staleMs: 1,
    };
    const claimed = await claimBuild(deps.db, mesh, claim);
    if (claimed.kind !== "claimed") throw new Error("app was to be claimed");
    const verdict = { verdict: "outstanding", class: "disk", message: "full" } as const;
    await recordVerdict(deps.db, mesh, {
      module: "app",
      inputs: ready.inputs,
      attempt: claimed.attempt,
      verdict,
      logTail: "",
      retryInMs: 600_000,
    });
    for (let turn = 0; turn < 3; turn += 1) expect(await compare()).toMatchObject({ hasRead: true });
  });
});
