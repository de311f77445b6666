import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { loadBuildPlan } from "../../src/activities/load-build-facts.ts";
import { planSteps } from "../../src/activities/plan-steps.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { listHeldCommits } from "../../src/store/held-sources.ts";
import { addModule, listModules } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { digestOf, mesh, openRecords, type Records } from "../store/open-records.ts";
import { openControl } from "./support/control-deps.ts";

let records: Records;
let origin: GitRepository;
let deps: ControlDependencies;
let first: string;

beforeEach(async () => {
  records = await openRecords();
  deps = await openControl(records, {
    describeToolchains: () => ({ typescript: "node" }),
    builders: { typescript: "1" },
    starvedAfterMs: 60_000,
  });
  origin = await addSource("code", "apart", "caller", "core", "lib", "starved");
  first = await origin.commit({
    ...library("core", "one: number = 1"),
    ...library("lib", "two: number = 2"),
    ...library("apart", "three: number = 3"),
    ...program("caller", 'import { one } from "@test/core";'),
    ...program("starved", 'import { one } from "@test/core";\nimport { two } from "@test/lib";'),
  });
});
afterEach(() => records.close());

const library = (name: string, constant: string) =>
  typescriptModule(name, { "src/index.ts": `export const ${constant};\n` });
const program = (name: string, imports: string) => typescriptModule(name, { "src/main.ts": `${imports}\n` });

async function addSource(name: string, ...modules: string[]): Promise<GitRepository> {
  const repository = await createGitRepository();
  onTestFinished(() => repository.remove());
  await addRepository(records.db, mesh, { name, url: repository.dir });
  for (const module of modules)
    await addModule(records.db, mesh, { name: module, repository: name, branch: "main", path: module });
  return repository;
}

async function compare(): Promise<void> {
  await compareAll(deps, { mesh, reasons: ["a test"], wave: null }, new AbortController().signal);
  await planSteps(deps, { mesh, wave: null, running: [], done: [] });
}

/** Everything that can be is built, and is fit. */
async function judgeAll(): Promise<void> {
  for (;;) {
    await planSteps(deps, { mesh, wave: null, running: [], done: [] });
    const surroundings = { ...deps, toolchains: deps.describeToolchains(), running: new Set<string>() };
    const { plan } = await loadBuildPlan(deps.db, mesh, { ...surroundings, now: new Date().toISOString() });
    if (plan.ready.length === 0) return;
    for (const { module, inputs, closure } of plan.ready) {
      const wanted = { module, inputs, closure, commit: "a".repeat(40), claimant: "a test", staleMs: 60_000 };
      const claimed = await claimBuild(deps.db, mesh, wanted);
      if (claimed.kind !== "claimed") throw new Error(`${module} is ${claimed.kind}`);
      const verdict = { verdict: "fit", artifact: digestOf(inputs) } as const;
      await recordVerdict(deps.db, mesh, { module, inputs, attempt: claimed.attempt, verdict, logTail: "" });
    }
  }
}

/** `starved` has waited for lib for longer than the bound. */
async function starve(): Promise<void> {
  await compare();
  await judgeAll();
  await origin.commit(library("lib", "two: number = 22"));
  await compare();
  await records.db.query("update module set behind_since = now() - interval '100 seconds' where name = 'starved'");
}

async function read(): Promise<Record<string, { commit: string | null; standing: string }>> {
  const modules = await listModules(records.db, mesh);
  return Object.fromEntries(modules.map((one) => [one.name, { commit: one.sourceCommit, standing: one.standing }]));
}

it("a caller is not judged against the old build of a library that its own commit changes and a hold keeps (R16, case 5)", async () => {
  await starve();
  expect(await read()).toMatchObject({ caller: { standing: "current" }, starved: { standing: "waiting" } });
  const both = await origin.commit({
    ...library("core", 'one: string = "1"'),
    ...program("caller", 'import { one } from "@test/core";\nexport const text: string = one;'),
    ...library("apart", "three: number = 33"),
  });
  await compare();
  expect([...(await listHeldCommits(records.db, mesh))]).toEqual(
    expect.arrayContaining([
      ["caller", both],
      ["core", both],
    ]),
  );
  expect(await read()).toMatchObject({
    apart: { commit: both, standing: "out-of-date" },
    caller: { commit: first, standing: "current" },
  });
  // The one that starved has its verdict, and nothing waits any more.
  await judgeAll();
  await compare();
  expect(await listHeldCommits(records.db, mesh)).toEqual(new Map());
  expect(await read()).toMatchObject({
    core: { commit: both, standing: "out-of-date" },
    caller: { commit: both, standing: "waiting" },
  });
});

it("an importer elsewhere is not planned by a name that only the commit that waits gives its library", async () => {
  const elsewhere = await addSource("elsewhere", "early");
  await elsewhere.commit(program("early", 'import { one } from "@test/kernel";'));
  await starve();
  expect(await read()).toMatchObject({ early: { standing: "broken" } });
  const renamed = library("core", "one: number = 1")["core/package.json"]?.replace("@test/core", "@test/kernel") ?? "";
  await origin.commit({
    "core/package.json": renamed,
    ...program("caller", 'import { one } from "@test/kernel";'),
    ...program("starved", 'import { one } from "@test/kernel";\nimport { two } from "@test/lib";'),
  });
  await compare();
  // Where a name moved, every module is read again: those of the same commit wait with it.
  expect([...(await listHeldCommits(records.db, mesh)).keys()].toSorted()).toEqual([
    "caller",
    "core",
    "lib",
    "starved",
  ]);
  expect(await read()).toMatchObject({ early: { standing: "broken" } });
  await judgeAll();
  await compare();
  await judgeAll();
  expect(await read()).toMatchObject({ early: { standing: "current" }, caller: { standing: "current" } });
});
