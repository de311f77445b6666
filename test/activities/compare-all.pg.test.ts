import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { describeBuilder, describeToolchains } from "../../src/build/toolchain.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { addModule, listModules } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { listModulesToPlan } from "../../src/store/modules-to-plan.ts";
import { listHeads } from "../../src/store/source-heads.ts";
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

function compare(deps: ControlDependencies): Promise<{ wave: string | null }> {
  return compareAll(deps, { mesh, reasons: ["a test"], wave: null }, new AbortController().signal);
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
