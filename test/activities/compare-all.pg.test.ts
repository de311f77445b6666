import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { createSilentSources } from "../../src/activities/silent-sources.ts";
import { describeBuilder, describeToolchains } from "../../src/build/toolchain.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { addModule, listModules } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { listModulesToPlan } from "../../src/store/modules-to-plan.ts";
import { listHeads, recordLook, recordLookFailure } from "../../src/store/source-heads.ts";
import { mesh, openRecords, type Records } from "../store/open-records.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { openControl } from "./support/control-deps.ts";

let records: Records;

beforeEach(async () => {
  records = await openRecords();
});
afterEach(() => records.close());

const builders = { files: describeBuilder("files"), typescript: describeBuilder("typescript") };
const createDeps = (): Promise<ControlDependencies> => openControl(records, { describeToolchains, builders });

function compare(deps: ControlDependencies, ...reasons: string[]): Promise<{ wave: string | null }> {
  const asked = { mesh, reasons: reasons.length === 0 ? ["a test"] : reasons, wave: null };
  return compareAll(deps, asked, new AbortController().signal);
}

describe("one repository whose address is refused", () => {
  it("is said of it alone; every other is looked at and compared (case 4)", async () => {
    const { db } = records;
    const origin = await createGitRepository();
    onTestFinished(() => origin.remove());
    const commit = await origin.commit({ "app/mesh.yaml": "module: app\nlanguage: files\n" });
    // Written by an older version, or by hand: the command refuses it.
    await addRepository(db, mesh, { name: "bad", url: "ext::sh -c id" });
    await addRepository(db, mesh, { name: "good", url: origin.dir });
    await addModule(db, mesh, { name: "lost", repository: "bad", branch: "main", path: "." });
    await addModule(db, mesh, { name: "app", repository: "good", branch: "main", path: "app" });
    const deps = await createDeps();
    const { wave } = await compare(deps);
    expect(wave).not.toBeNull();
    expect((await listModules(db, mesh)).map((one) => [one.name, one.sourceCommit])).toEqual([
      ["app", commit],
      ["lost", null],
    ]);
    expect((await listModulesToPlan(db, mesh)).find((one) => one.name === "lost")).toMatchObject({
      problem: null,
      unread: expect.stringMatching(/its source cannot be read: .*address/),
    });
    expect((await listConditions(db, mesh)).map((one) => `${one.code} ${one.subject}`)).toEqual([
      "source-unreachable bad#main",
    ]);
    expect(await listHeads(db, mesh)).toMatchObject([
      { repository: "bad", commit: null, comparedCommit: null },
      { repository: "good", comparedCommit: commit, failure: null },
    ]);
  });
});

it("a branch that moves while it is looked at is resolved once: every module on it is of that commit, and by the next look of the newer one (case 5)", async () => {
  const { db } = records;
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const commit = (text: string): Promise<string> =>
    origin.commit(
      Object.fromEntries(
        ["app", "lib"].flatMap((module) => [
          [`${module}/mesh.yaml`, `module: ${module}\nlanguage: files\n`],
          [`${module}/text`, text],
        ]),
      ),
    );
  const commits = [await commit("1")];
  await addRepository(db, mesh, { name: "source", url: origin.dir });
  for (const path of ["app", "lib"])
    await addModule(db, mesh, { name: path, repository: "source", branch: "main", path });
  const deps = await createDeps();
  const { repositories } = deps;
  let asked = 0;
  const moving: ControlDependencies = {
    ...deps,
    repositories: {
      open: async (of) => {
        const opened = await repositories.open(of);
        return {
          ...opened,
          async lookAtHeads(branches, signal) {
            asked += 1;
            const tips = await opened.lookAtHeads(branches, signal);
            // Between the answer and whatever is read of it.
            commits.push(await commit(`${commits.length + 1}`));
            return tips;
          },
        };
      },
    },
  };
  for (const look of [1, 2]) {
    await compare(moving);
    expect(asked).toBe(look);
    const tip = commits[look - 1];
    const trees = await Promise.all(["app", "lib"].map((path) => origin.git("rev-parse", `${tip}:${path}`)));
    expect((await listModules(db, mesh)).map(({ name, sourceCommit }) => [name, sourceCommit])).toEqual([
      ["app", tip],
      ["lib", tip],
    ]);
    const { rows } = await db.query("select tree from module order by name");
    expect(rows).toEqual(trees.map((tree) => ({ tree: tree.trim() })));
  }
});

describe("one repository that does not answer (R7, R33, case 4)", () => {
  it("keeps no other waiting before its turn comes, and is asked at once where somebody or a webhook names it", async () => {
    const { db } = records;
    const addSource = async (name: string) => {
      const origin = await createGitRepository();
      onTestFinished(() => origin.remove());
      await addRepository(db, mesh, { name, url: origin.dir });
      await addModule(db, mesh, { name: `of-${name}`, repository: name, branch: "main", path: "." });
      return (text: string) => origin.commit({ "mesh.yaml": `module: of-${name}\nlanguage: files\n`, text });
    };
    const [commitFine, commitAway] = [await addSource("fine"), await addSource("away")];
    const [first, kept] = [await commitFine("1"), await commitAway("1")];
    const clock = { nowMs: 0 };
    const silent = createSilentSources(1_000, { nowMs: () => clock.nowMs, random: () => 0.5 });
    const deps = await openControl(records, { describeToolchains, builders, silent });
    await compare(deps);
    let [asked, isAway] = [0, true];
    const { repositories } = deps;
    const away: ControlDependencies = {
      ...deps,
      repositories: {
        open: async (of) => {
          const opened = await repositories.open(of);
          const lookAtHeads: typeof opened.lookAtHeads = (branches, signal) => {
            asked += 1;
            return isAway ? Promise.reject(new UnavailableError("away hangs")) : opened.lookAtHeads(branches, signal);
          };
          return of.name === "away" ? { ...opened, lookAtHeads } : opened;
        },
      },
    };
    const commits = async () => (await listModules(db, mesh)).map((one) => one.sourceCommit);
    expect(await commits()).toEqual([kept, first]);

    await compare(away, "source moved: away#main at abcdef0");
    expect(asked).toBe(1);
    // Twice the rhythm of looks: until then no comparison of the controller's own asks it, nor a look of the watch.
    clock.nowMs = 1_999;
    const second = await commitFine("2");
    await compare(away, "source moved: fine#main at abcdef0", "webhook of forge");
    expect(asked).toBe(1);
    expect(silent.isDue("away")).toBe(false);
    expect(await commits()).toEqual([kept, second]);
    expect((await listHeads(db, mesh)).map(({ comparedCommit }) => comparedCommit)).toEqual([kept, second]);

    await compare(away, "source moved: fine#main at abcdef0", "mesh build of-away");
    expect(asked).toBe(2);
    clock.nowMs = 5_998;
    await compare(away);
    expect(asked).toBe(3);
    await compare(away, "webhook of forge");
    expect(asked).toBe(3);
    silent.askNow("away");
    await compare(away, "webhook of forge");
    expect(asked).toBe(4);
    clock.nowMs += 16_000;
    isAway = false;
    const third = await commitAway("3");
    await compare(away, "builds to try again: of-fine");
    expect(await commits()).toEqual([third, second]);
    expect(silent.isDue("away")).toBe(true);
  });
});

describe("one repository that answers, and whose newest commit does not come (case 4)", () => {
  it("is said for as long as that is so, stops no other, and keeps its last good commit (R33)", async () => {
    const { db } = records;
    const deps = await createDeps();
    const add = async (name: string) => {
      const origin = await createGitRepository();
      onTestFinished(() => origin.remove());
      await addRepository(db, mesh, { name, url: origin.dir });
      await addModule(db, mesh, { name: `of-${name}`, repository: name, branch: "main", path: "." });
      const commit = (text: string) => origin.commit({ "mesh.yaml": `module: of-${name}\nlanguage: files\n`, text });
      return { first: await commit("1"), commit };
    };
    const [kept, other] = [await add("kept"), await add("other")];
    await compare(deps);
    let away = true;
    const { repositories } = deps;
    const open: typeof repositories.open = async (of) => {
      const opened = await repositories.open(of);
      const fetchCommits: typeof opened.fetchCommits = async (wanted) => {
        if (of.name === "kept" && away) throw new UnavailableError("the clone is larger than its limit");
        await opened.fetchCommits(wanted);
      };
      return { ...opened, fetchCommits };
    };
    const failing = { ...deps, repositories: { ...repositories, open } };
    const newest = [await kept.commit("2"), await other.commit("2")];
    const commits = async () => (await listModules(db, mesh)).map((one) => one.sourceCommit);
    for (const look of [1, 2, 3]) {
      await compare(failing);
      expect(await listConditions(db, mesh)).toMatchObject([
        { code: "source-not-fetched", subject: "kept#main", count: look },
      ]);
      expect(await commits()).toEqual([kept.first, newest[1]]);
    }
    away = false;
    await compare(failing);
    expect(await listConditions(db, mesh)).toEqual([]);
    expect(await commits()).toEqual(newest);
  });
});

describe("when a module was compared (R31)", () => {
  it("is when a look last found what was compared, and moves with no look that found something else or nothing", async () => {
    const { db } = records;
    const origin = await createGitRepository();
    onTestFinished(() => origin.remove());
    const commit = await origin.commit({ "mesh.yaml": "module: app\nlanguage: files\n" });
    await addRepository(db, mesh, { name: "code", url: origin.dir });
    await addModule(db, mesh, { name: "app", repository: "code", branch: "main", path: "." });
    const deps = await createDeps();
    await compare(deps);
    const comparedAt = async () => (await listModules(db, mesh))[0]?.comparedAt;
    const lookedAt = async () => (await listHeads(db, mesh))[0]?.lookedAt;
    const longAgo = "2020-01-01T00:00:00.000Z";
    await db.query("update module set compared_at = $1", [longAgo]);
    await db.query("update source_head set facts_at = $1, looked_at = $1", [longAgo]);
    expect(await comparedAt()).toBe(longAgo);

    await compare(deps);
    const confirmed = await comparedAt();
    expect(confirmed).not.toBe(longAgo);
    expect(confirmed).toBe(await lookedAt());
    const main = { repository: "code", branch: "main" };
    await recordLookFailure(db, mesh, { ...main, failure: "503" });
    expect(await comparedAt()).toBe(confirmed);
    await recordLook(db, mesh, { ...main, commit: commit.replaceAll(/./g, "0"), askedMsAgo: 0 });
    expect(await comparedAt()).toBe(longAgo);
  });
});
