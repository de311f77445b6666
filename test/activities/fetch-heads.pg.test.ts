import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import type { FetchBounds } from "../../src/activities/fetch-desk.ts";
import { lookAtSources } from "../../src/activities/look-at-sources.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { describeDue } from "../../src/store/due-work.ts";
import { addModule, listModules } from "../../src/store/modules.ts";
import { listModulesToPlan } from "../../src/store/modules-to-plan.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { listHeads } from "../../src/store/source-heads.ts";
import { mesh, openRecords, type Records } from "../store/open-records.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { createGitServers, type GitServers } from "../support/git-server.ts";
import { openControl } from "./support/control-deps.ts";

let records: Records;
let servers: GitServers;

beforeEach(async () => {
  records = await openRecords();
  servers = await createGitServers();
  vi.stubEnv("GIT_SSL_CAINFO", servers.caFile);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await records.close();
});

interface Source {
  readonly first: string;
  readonly commit: (text: string) => Promise<string>;
  /** Its branch is forced back by one commit. */
  readonly forceBack: () => Promise<unknown>;
  /** True: the next fetch from it waits for `release`. */
  holds: boolean;
  readonly seen: { asked: number; closed: number };
  /** Its server says nothing to the next request. */
  holdNext(): void;
  release(): void;
}

/** A module in a source of its own, behind a server that can be told to say nothing. */
async function addSource(name: string): Promise<Source> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const server = await servers.serve(origin.dir);
  onTestFinished(() => server.close());
  await addRepository(records.db, mesh, { name, url: server.url });
  await addModule(records.db, mesh, { name: `of-${name}`, repository: name, branch: "main", path: "." });
  const commit = (text: string) => origin.commit({ "mesh.yaml": `module: of-${name}\nlanguage: files\n`, text });
  const held: (() => void)[] = [];
  const seen = { asked: 0, closed: 0 };
  return {
    first: await commit("1"),
    commit,
    forceBack: () => origin.git("reset", "--hard", "--quiet", "HEAD~1"),
    holds: false,
    seen,
    holdNext: () =>
      server.misbehave((_request, response) => {
        server.misbehave(null);
        seen.asked += 1;
        response.once("close", () => (seen.closed += 1));
        return new Promise((resolve) => held.push(resolve));
      }),
    release: () => {
      for (const go of held.splice(0)) go();
    },
  };
}

/** Whoever fetches from a source that holds is told nothing from then on; looks before it are answered. */
async function openDeps(
  sources: Readonly<Record<string, Source>>,
  fetches: Partial<FetchBounds>,
): Promise<ControlDependencies> {
  const deps = await openControl(records, {
    fetches: { atOnce: 8, patienceMs: 60_000, lateAtOnce: 4, restLongestMs: 1, ...fetches },
  });
  const { repositories } = deps;
  const open: typeof repositories.open = async (of) => {
    const opened = await repositories.open(of);
    const fetchCommits: typeof opened.fetchCommits = async (wanted, signal) => {
      const source = sources[of.name];
      if (source?.holds === true) source.holdNext();
      if (source !== undefined) source.holds = false;
      await opened.fetchCommits(wanted, signal);
    };
    return { ...opened, fetchCommits };
  };
  return Object.assign(deps, { repositories: { ...repositories, open } });
}

function compare(deps: ControlDependencies, signal = new AbortController().signal): Promise<{ wave: string | null }> {
  return compareAll(deps, { mesh, reasons: ["a test"], wave: null }, signal);
}

const listHeadsWithoutTimes = async () =>
  (await listHeads(records.db, mesh)).map(({ repository, commit, comparedCommit }) => [
    repository,
    commit,
    comparedCommit,
  ]);

const commits = async () => (await listModules(records.db, mesh)).map((one) => one.sourceCommit);

it("a source that hangs keeps no other from being compared, and what it sends late is taken by a later look (case 4)", async () => {
  const [away, fine] = [await addSource("away"), await addSource("fine")];
  const deps = await openDeps({ away, fine }, { patienceMs: 5_000 });
  await compare(deps);
  const newest = [await away.commit("2"), await fine.commit("2")];
  away.holds = true;
  await compare(deps);
  expect(await commits()).toEqual([away.first, newest[1]]);
  expect(await listConditions(records.db, mesh)).toMatchObject([
    {
      code: "source-not-fetched",
      subject: "away#main",
      message: expect.stringMatching(/did not send its commit within 5 s, and is still being fetched/),
    },
  ]);
  // The fetch goes on: another look does not wait for it, and says so.
  await compare(deps);
  expect(away.seen.asked).toBe(1);
  expect(await listConditions(records.db, mesh)).toMatchObject([
    { subject: "away#main", message: expect.stringMatching(/is still being fetched/), count: 2 },
  ]);
  away.release();
  await vi.waitFor(
    async () => {
      await compare(deps);
      expect(await commits()).toEqual(newest);
    },
    { timeout: 20_000 },
  );
  expect(await listConditions(records.db, mesh)).toEqual([]);
}, 90_000);

it("a tip that did not come, and is none any more, is not said of its source for hours (R33, case 4)", async () => {
  const away = await addSource("away");
  const deps = await openDeps({ away }, { patienceMs: 2_000, lateAtOnce: 0 });
  await compare(deps);
  const due = async (): Promise<string | null> => {
    await lookAtSources(deps);
    return describeDue(records.db, mesh, 60_000);
  };
  const newest = await away.commit("2");
  away.holds = true;
  await compare(deps);
  expect(await listConditions(records.db, mesh)).toMatchObject([{ code: "source-not-fetched", subject: "away#main" }]);
  expect(await due()).toBe(`source moved: away#main at ${newest.slice(0, 7)}; sources to fetch again: away#main`);
  await away.forceBack();
  expect(await due()).toBe("sources to fetch again: away#main");
  await compare(deps);
  expect(await listConditions(records.db, mesh)).toEqual([]);
  expect([await due(), await commits()]).toEqual([null, [away.first]]);
}, 90_000);

it("a source whose branch is at something that is no commit keeps no other from being compared (case 4)", async () => {
  const fine = await addSource("fine");
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  await origin.commit({ "mesh.yaml": "module: of-odd\nlanguage: files\n" });
  const blob = await origin.git("rev-parse", "HEAD:mesh.yaml");
  // Git itself refuses to: who owns the folder of a server is not asked.
  await writeFile(join(origin.dir, ".git", "refs", "heads", "main"), `${blob}\n`);
  await addRepository(records.db, mesh, { name: "odd", url: origin.dir });
  await addModule(records.db, mesh, { name: "of-odd", repository: "odd", branch: "main", path: "." });
  const deps = await openDeps({ fine }, {});
  await compare(deps);
  expect(await commits()).toEqual([fine.first, null]);
  expect(await listConditions(records.db, mesh)).toMatchObject([
    { subject: "odd#main", message: expect.stringMatching(/is a blob and no commit/) },
  ]);
}, 90_000);

it("what lasts is bounded: past it a fetch is stopped, and its git with it (R33)", async () => {
  const away = await addSource("away");
  const deps = await openDeps({ away }, { patienceMs: 2_000, lateAtOnce: 0 });
  away.holds = true;
  await compare(deps);
  await vi.waitFor(() => expect(away.seen.closed).toBe(1), { timeout: 30_000 });
  expect(await listConditions(records.db, mesh)).toMatchObject([
    { message: expect.stringMatching(/was stopped: it did not send its commit within 2 s, and 0 others/) },
  ]);
}, 90_000);

it("sources are fetched from at once, and the records are the same whoever answers first (R7)", async () => {
  const sources = { a: await addSource("a"), b: await addSource("b"), c: await addSource("c") };
  const all = Object.values(sources);
  const seen: unknown[] = [];
  for (const order of [all, all.toReversed()]) {
    for (const source of all) source.holds = true;
    const asked = all.map((one) => one.seen.asked + 1);
    // With clones of its own each time: everything is fetched, and read again.
    const comparing = compare(await openDeps(sources, {}));
    // Each waits: none is asked after another.
    await vi.waitFor(() => expect(all.map((one) => one.seen.asked)).toEqual(asked), { timeout: 20_000 });
    for (const source of order) source.release();
    await comparing;
    seen.push([await listModulesToPlan(records.db, mesh), await listHeadsWithoutTimes()]);
    expect(await listConditions(records.db, mesh)).toEqual([]);
  }
  expect(seen[1]).toEqual(seen[0]);
}, 90_000);

it("a comparison that is cancelled ends every git that it waits for", async () => {
  const [a, b] = [await addSource("a"), await addSource("b")];
  a.holds = true;
  b.holds = true;
  const deps = await openDeps({ a, b }, {});
  const cancelled = new AbortController();
  const comparing = compare(deps, cancelled.signal);
  // Handled below; it must only not be unhandled until then.
  comparing.catch(() => undefined);
  await vi.waitFor(() => expect([a.seen.asked, b.seen.asked]).toEqual([1, 1]), { timeout: 30_000 });
  cancelled.abort(new Error("enough"));
  await expect(comparing).rejects.toThrow("enough");
  await vi.waitFor(() => expect([a.seen.closed, b.seen.closed]).toEqual([1, 1]), { timeout: 30_000 });
}, 90_000);
