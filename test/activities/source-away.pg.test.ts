import { readdir, rm, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { lookAtSources } from "../../src/activities/look-at-sources.ts";
import { planSteps } from "../../src/activities/plan-steps.ts";
import { createRepositoryPool } from "../../src/activities/repository-pool.ts";
import { describeDue } from "../../src/store/due-work.ts";
import { addModule, listModules } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { mesh, openRecords, type Records } from "../store/open-records.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { openControl } from "./support/control-deps.ts";

let records: Records;

beforeEach(async () => {
  records = await openRecords();
});
afterEach(() => records.close());

async function openBed(): Promise<{ folder: string; deps: ControlDependencies }> {
  const folder = await createTemporaryFolder();
  return { folder, deps: await openControl(records, { repositories: createRepositoryPool(folder) }) };
}

async function addSource(name: string, modules: readonly string[]): Promise<GitRepository> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  await addRepository(records.db, mesh, { name, url: origin.dir });
  for (const module of modules) {
    await origin.commit({ [`${module}/mesh.yaml`]: `module: ${module}\nlanguage: files\n` });
    await register(name, module);
  }
  return origin;
}

function register(repository: string, name: string): Promise<void> {
  return addModule(records.db, mesh, { name, repository, branch: "main", path: name });
}

async function look(deps: ControlDependencies): Promise<Record<string, string>> {
  await compareAll(deps, { mesh, reasons: ["a test"], wave: null }, new AbortController().signal);
  await planSteps(deps, { mesh, wave: null, running: [], done: [] });
  const modules = await listModules(records.db, mesh);
  return Object.fromEntries(modules.map(({ name, standing, standingWhy }) => [name, `${standing}: ${standingWhy}`]));
}

it("a clone that is lost while its source is away: only what has to be read of it cannot be told, until it answers (R26, case 4)", async () => {
  const { folder, deps } = await openBed();
  const lost = await addSource("lost", ["kept", "more"]);
  const fine = await addSource("fine", ["other"]);
  expect(await look(deps)).toMatchObject({ kept: expect.stringMatching(/^out-of-date/) });
  await rename(lost.dir, `${lost.dir}-away`);
  for (const clone of await readdir(folder))
    if (clone.startsWith("lost-")) await rm(join(folder, clone), { recursive: true });
  // Facts of a version that did not say what they were read from: they are read again.
  await records.db.query("update module set known = null where name = 'more'");
  await fine.commit({ "other/a": "2" });
  const before = (await listModules(records.db, mesh)).find(({ name }) => name === "other")?.sourceCommit;
  // As one that starts now: one that runs reads on for a moment from the clone that it holds open.
  const started = await openControl(records, { repositories: createRepositoryPool(folder) });
  expect(await look(started)).toMatchObject({
    // As it was compared: nothing of it has to be read.
    kept: expect.stringMatching(/^out-of-date/),
    more: expect.stringMatching(/^cannot-tell: its source cannot be read: .*did not answer/),
    other: expect.stringMatching(/^out-of-date/),
  });
  expect((await listModules(records.db, mesh)).find(({ name }) => name === "other")?.sourceCommit).not.toBe(before);
  await rename(`${lost.dir}-away`, lost.dir);
  expect(await look(started)).toMatchObject({
    kept: expect.stringMatching(/^out-of-date/),
    more: expect.stringMatching(/^out-of-date/),
  });
}, 90_000);

it("what could not be read is due by itself once its source answers, at the tip that was compared long ago (R7, cases 3 and 4)", async () => {
  const { folder, deps } = await openBed();
  const lost = await addSource("lost", ["more"]);
  await addSource("fine", ["other"]);
  await look(deps);
  const due = async (): Promise<string | null> => {
    await lookAtSources(deps);
    return describeDue(records.db, mesh, 60_000);
  };
  expect(await due()).toBeNull();
  await rename(lost.dir, `${lost.dir}-away`);
  for (const clone of await readdir(folder)) await rm(join(folder, clone), { recursive: true });
  await records.db.query("update module set known = null where name = 'more'");
  Object.assign(deps, { repositories: createRepositoryPool(folder) });
  expect(await look(deps)).toMatchObject({ more: expect.stringMatching(/^cannot-tell/) });
  // While it does not answer nobody has to look.
  expect(await due()).toBeNull();
  await rename(`${lost.dir}-away`, lost.dir);
  expect(await due()).toBe("sources to fetch again: lost#main; modules to read again: more");
  // What the fetch said is over, and the reading was cut short.
  await records.db.query("delete from condition where code = 'source-not-fetched'");
  expect(await due()).toBe("modules to read again: more");
  expect(await look(deps)).toMatchObject({ more: expect.stringMatching(/^out-of-date/) });
  expect(await due()).toBeNull();
}, 90_000);

it("a source that never answered is neither broken nor outstanding: how its modules stand cannot be told (R31)", async () => {
  const { deps } = await openBed();
  const away = await addSource("away", ["one"]);
  await rename(away.dir, `${away.dir}-away`);
  expect(await look(deps)).toEqual({
    one: expect.stringMatching(/^cannot-tell: its source cannot be read: repository .* did not answer/),
  });
  await rename(`${away.dir}-away`, away.dir);
  expect(await look(deps)).toEqual({ one: expect.stringMatching(/^out-of-date/) });
}, 90_000);

it("a branch that an answering source does not have is broken, and is said to be that (case 4)", async () => {
  const { deps } = await openBed();
  await addSource("code", ["one"]);
  await addModule(records.db, mesh, { name: "lost", repository: "code", branch: "gone", path: "lost" });
  expect(await look(deps)).toMatchObject({ lost: "broken: there is no branch gone in repository code" });
}, 90_000);
