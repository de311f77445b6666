import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { createFetchDesk, fetchBounds } from "../../src/activities/fetch-desk.ts";
import { createKeptRecords, keptFor } from "../../src/activities/kept-records.ts";
import { loadBuildPlan } from "../../src/activities/load-build-facts.ts";
import { isSourceFailure } from "../../src/activities/look-at-sources.ts";
import { compareTips, type LookWithoutKeeping, seeTips } from "../../src/activities/look-without-keeping.ts";
import { planSteps } from "../../src/activities/plan-steps.ts";
import { createPushRecords } from "../../src/activities/push-records.ts";
import { createRepositoryPool } from "../../src/activities/repository-pool.ts";
import { createSilentSources } from "../../src/activities/silent-sources.ts";
import { rebuildSet } from "../../src/decide/rebuild-set.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import type { Queryable } from "../../src/store/database.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { recordFit } from "../../src/store/module-plans.ts";
import { addModule } from "../../src/store/modules.ts";
import { removeModule } from "../../src/store/remove-module.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { digestOf, mesh, openRecords, type Records } from "../store/open-records.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

let records: Records;
let origin: GitRepository;
let deps: ControlDependencies;
const toolchains: Record<string, string> = {};
const names = ["a", "b", "c", "d", "e"];

beforeEach(async () => {
  records = await openRecords();
  origin = await createGitRepository();
  toolchains["typescript"] = "one";
  deps = {
    db: records.db,
    mesh,
    repositories: createRepositoryPool(await createTemporaryFolder()),
    silent: createSilentSources(1_000),
    imports: createMemoryImportCache(),
    describeToolchains: () => toolchains,
    builders: { typescript: "one" },
    settingsFor: () => ({}),
    records: createPushRecords(records.db, mesh),
    lostAfterMs: 60_000,
    starvedAfterMs: 60_000,
    limits: { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 },
    nowMs: () => Date.now(),
    random: Math.random,
    makeSuffix: () => "test",
  };
  const files = names.flatMap((name) => [
    [`${name}/mesh.yaml`, `module: ${name}\nlanguage: typescript\n`],
    [`${name}/package.json`, JSON.stringify({ name: `@x/${name}` })],
    [`${name}/src/index.ts`, "export {};\n"],
  ]);
  await origin.commit(Object.fromEntries(files));
  await addRepository(records.db, mesh, { name: "source", url: origin.dir });
  for (const name of names.slice(1)) await register(name);
});
afterEach(async () => {
  await records.close();
  await origin.remove();
});

function register(name: string): Promise<void> {
  return addModule(records.db, mesh, { name, repository: "source", branch: "main", path: name });
}

function surroundings() {
  const { builders, settingsFor, lostAfterMs } = deps;
  return {
    toolchains,
    builders,
    settingsFor,
    lostAfterMs,
    running: new Set<string>(),
    now: "2026-01-01T00:00:00.000Z",
  };
}

/** Each may come at any moment, by the controller itself or by somebody else. */
type Action = readonly [what: string, act: () => Promise<unknown>];
const anyName = fc.constantFrom(...names);
const commit = (files: Record<string, string>): Action => [JSON.stringify(files), () => origin.commit(files)];
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.tuple(anyName, anyName, fc.nat(2)).map(([from, to, line]) => {
    return commit({ [`${from}/src/index.ts`]: `${"\n".repeat(line)}import "@x/${to}";\n` });
  }),
  fc
    .tuple(anyName, fc.nat(3))
    .map(([name, text]) => commit({ [`${name}/src/more.ts`]: `export const x = ${text};\n` })),
  fc.tuple(anyName, anyName).map(([a, b]) => commit({ [`${a}/package.json`]: JSON.stringify({ name: `@x/${b}` }) })),
  fc.nat(3).map((text) => commit({ README: `${text}` })),
  fc.constant<Action>(["force push", () => origin.git("reset", "-q", "--hard", "HEAD~1").catch(() => undefined)]),
  anyName.map((name): Action => [`add ${name}`, () => register(name)]),
  anyName.map((name): Action => [
    `remove ${name}`,
    () => removeModule(records.db, mesh, name, { whereImported: "goes" }),
  ]),
  fc
    .constantFrom("one", "two")
    .map((version): Action => [`toolchain ${version}`, async () => void (toolchains["typescript"] = version)]),
  fc.constant<Action>(["written again as it was", () => records.db.query("update module set path = path")]),
  fc.constant<Action>(["compared", compare]),
  fc.constant<Action>(["judged", judge]),
  fc.constant<Action>(["judged", judge]),
);

async function compare(): Promise<void> {
  await compareAll(deps, { mesh, reasons: ["a test"], wave: null }, new AbortController().signal);
}

/** All that is ready now becomes fit. */
async function judge(): Promise<void> {
  await compare();
  await planSteps(deps, { mesh, wave: null, running: [], done: [] });
  const { plan } = await loadBuildPlan(records.db, mesh, surroundings());
  for (const { module, inputs, closure } of plan.ready) {
    const claim = { module, inputs, closure, commit: "a".repeat(40), claimant: "a test", staleMs: 60_000 };
    const claimed = await claimBuild(records.db, mesh, claim);
    if (claimed.kind !== "claimed") continue;
    const artifact = digestOf(`${module} ${inputs}`);
    const verdict = { verdict: "fit", artifact } as const;
    await recordVerdict(records.db, mesh, { module, inputs, attempt: claimed.attempt, verdict, logTail: "" });
    await recordFit(records.db, mesh, { module, inputs, artifact });
  }
  await planSteps(deps, { mesh, wave: null, running: [], done: [] });
}

/** The affected modules with their reasons, and the plan. */
async function answer(look: LookWithoutKeeping): Promise<unknown> {
  const { kept } = look;
  const looked = await compareTips(look, await seeTips(look));
  const { facts, plan } = await loadBuildPlan(records.db, mesh, {
    ...surroundings(),
    newer: looked.newer,
    planRecords: looked.records,
    ...(kept === undefined ? {} : { kept }),
  });
  const affected = rebuildSet(facts, { plan, ...(kept === undefined ? {} : { memory: kept.plans }) });
  // The commit of what was not read again is said nowhere.
  const modules = [...facts.modules.values()].map(({ commit: _commit, moved: _moved, ...rest }) => rest);
  return { modules, plan, affected };
}

it("what is kept between comparisons changes no answer, after any history", { timeout: 240_000 }, async () => {
  let step = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyAction, { minLength: 2, maxLength: 8 }), async (actions) => {
      for (const [what, act] of actions) {
        await act();
        step += 1;
        const fetches = createFetchDesk(fetchBounds, isSourceFailure);
        const look = { db: records.db, mesh, repositories: deps.repositories, imports: deps.imports, fetches };
        const kept = await answer({ ...look, kept: keptFor(records.db, mesh) });
        // As a process that just began and knows nothing.
        expect([step, what, kept]).toEqual([step, what, await answer(look)]);
      }
    }),
    { numRuns: 15 },
  );
});

it("modules and the rest are of one moment, also where somebody writes between the two", async () => {
  const { db } = records;
  let tellRead: () => void = () => undefined;
  const modulesRead = new Promise<void>((resolve) => (tellRead = resolve));
  let rest = 0;
  /** Has a module added after the modules were read, and before the rest is. */
  const slow: Queryable = {
    query: async (sql, values) => {
      if (!sql.includes("as modules")) {
        rest += 1;
        await modulesRead;
        await register("a");
        return db.query(sql, values);
      }
      const rows = await db.query(sql, values);
      tellRead();
      return rows;
    },
  };
  const { first, whole } = createKeptRecords(slow, mesh).readApart();
  expect((await first).registered.map(({ module }) => module)).toEqual(["b", "c", "d", "e"]);
  expect((await whole).modules.map(({ name }) => name)).toEqual(["a", "b", "c", "d", "e"]);
  expect((await whole).registered).not.toBe((await first).registered);
  expect(rest).toBe(1);
});

it("modules and the rest are read once where nobody writes, and kept", async () => {
  const kept = createKeptRecords(records.db, mesh);
  const { first, whole } = kept.readApart();
  expect((await whole).registered).toBe((await first).registered);
  expect(kept.lastRead()).toBe(await whole);
  expect(await kept.read()).toBe(await whole);
});
