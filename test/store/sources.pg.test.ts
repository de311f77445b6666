import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { listEdges, replaceEdges, type Edge } from "../../src/store/edges.ts";
import { getCachedImports, putCachedImports } from "../../src/store/imports-cache.ts";
import { recordModulePlans, type ModulePlan } from "../../src/store/module-plans.ts";
import { addModule, getModule, listModules } from "../../src/store/modules.ts";
import { addRepository, getRepository, listRepositories } from "../../src/store/repositories.ts";
import { listModulesToPlan } from "../../src/store/modules-to-plan.ts";
import { recordSourceFacts, type SourceFactsRecord } from "../../src/store/source-facts.ts";
import {
  listHeads,
  listFollowed,
  recordCompared,
  recordLook,
  recordLookFailure,
} from "../../src/store/source-heads.ts";
import { addModules, digestOf, manifestOf, mesh, openRecords, treeOf, type Records } from "./open-records.ts";

let records: Records;
const main = { repository: "examples", branch: "main" };

beforeAll(async () => {
  records = await openRecords();
  await addModules(records.db, "core", "meshboard");
});
afterAll(() => records.close());

function factsOf(module: string, more: Partial<SourceFactsRecord> = {}): SourceFactsRecord {
  return {
    module,
    sourceCommit: treeOf("commit"),
    sourceCommitAt: "2026-01-01T10:00:00+02:00",
    sourceSubject: "Say hello",
    tree: treeOf("tree"),
    thirdParties: null,
    manifest: manifestOf(module),
    findings: [],
    problem: null,
    known: null,
    ...more,
  };
}

function planOf(module: string, more: Partial<ModulePlan> = {}): ModulePlan {
  const wantedInputs = digestOf("inputs");
  return { module, standing: "out-of-date", standingWhy: "new source", wantedInputs, fit: null, ...more };
}

describe("repositories and modules", () => {
  it("are registered once; the same name for another source is refused (R1)", async () => {
    await addRepository(records.db, mesh, { name: "examples", url: "file:///examples.git" });
    await expect(addRepository(records.db, mesh, { name: "examples", url: "file:///other.git" })).rejects.toThrow(
      InputError,
    );
    await addModule(records.db, mesh, { name: "core", ...main, path: "core" });
    await expect(addModule(records.db, mesh, { name: "core", ...main, path: "elsewhere" })).rejects.toThrow(InputError);
    expect((await getRepository(records.db, mesh, "examples"))?.url).toBe("file:///examples.git");
    expect(await listRepositories(records.db, mesh)).toHaveLength(1);
    expect((await listModules(records.db, mesh)).map(({ name, path }) => [name, path])).toEqual([
      ["core", "core"],
      ["meshboard", "meshboard"],
    ]);
  });

  it("refuse a hostile branch or path (case 52)", async () => {
    for (const source of [
      { branch: "--upload-pack=x" },
      { branch: "$(id)" },
      { path: "../up" },
      { path: "/etc" },
      { name: "a;drop table module" },
    ]) {
      await expect(addModule(records.db, mesh, { name: "evil", ...main, path: "core", ...source })).rejects.toThrow();
    }
  });
});

describe("what a comparison saw (R7, R8)", () => {
  it("is written for all modules at once, and not at all where nothing is new", async () => {
    const finding = { severity: "warning", file: "a.ts", line: 3, message: "computed\0 import" } as const;
    const both = [factsOf("core"), factsOf("meshboard", { findings: [finding] })];
    expect(await recordSourceFacts(records.db, mesh, both)).toBe(2);
    expect(await recordSourceFacts(records.db, mesh, both)).toBe(0);
    expect(
      await recordSourceFacts(records.db, mesh, [factsOf("core", { sourceSubject: "Again" }), ...both.slice(1)]),
    ).toBe(1);
    expect(await getModule(records.db, mesh, "core")).toMatchObject({
      sourceSubject: "Again",
      sourceCommitAt: "2026-01-01T08:00:00.000Z",
      manifest: manifestOf("core"),
    });
    expect((await getModule(records.db, mesh, "meshboard"))?.findings[0]?.message).toBe("computed\uFFFD import");
  });

  it("names the commit that moved a module's own source, not a later one that touches others, and counts (case 6)", async () => {
    const commit = (text: string, tree: string): Partial<SourceFactsRecord> => ({
      sourceCommit: treeOf(text),
      sourceSubject: text,
      tree: treeOf(tree),
    });
    const see = async (facts: Partial<SourceFactsRecord>) => {
      await recordSourceFacts(records.db, mesh, [factsOf("meshboard", facts)]);
      return await getModule(records.db, mesh, "meshboard");
    };
    const one = await see(commit("one", "tree one"));
    const two = await see(commit("two", "tree one"));
    expect(two).toMatchObject({
      sourceSubject: "two",
      moved: { id: treeOf("one"), subject: "one" },
      moves: one?.moves,
    });
    const three = await see({ ...commit("three", "tree one"), thirdParties: digestOf("packages") });
    expect(three).toMatchObject({
      moved: { id: treeOf("three"), subject: "three", at: "2026-01-01T08:00:00.000Z" },
      moves: (one?.moves ?? 0) + 1,
    });
    const gone = await see({ sourceCommit: null, sourceCommitAt: null, sourceSubject: null, tree: null });
    expect(gone).toMatchObject({ moved: { id: treeOf("three") }, moves: three?.moves });
  });

  it("can be that there is nothing to read: branch gone, no manifest; what was fit stays (case 4)", async () => {
    const fit = { inputs: digestOf("inputs"), artifact: digestOf("out") };
    expect(
      await recordModulePlans(records.db, mesh, [planOf("core", { standing: "current", standingWhy: "", fit })]),
    ).toBe(1);
    const nothing = { sourceCommit: null, sourceCommitAt: null, sourceSubject: null, tree: null, manifest: null };
    await recordSourceFacts(records.db, mesh, [factsOf("core", { ...nothing, problem: "no branch main" })]);
    const broken = planOf("core", { standing: "broken", standingWhy: "no branch main", wantedInputs: null });
    expect(await recordModulePlans(records.db, mesh, [broken])).toBe(1);
    expect(await recordModulePlans(records.db, mesh, [broken, planOf("nobody")])).toBe(0);
    expect(await getModule(records.db, mesh, "core")).toMatchObject({
      manifest: null,
      standing: "broken",
      fitArtifact: digestOf("out"),
    });
    expect((await listModulesToPlan(records.db, mesh)).map(({ name, problem }) => [name, problem])).toContainEqual([
      "core",
      "no branch main",
    ]);
  });
});

describe("heads", () => {
  it("are the branches that modules follow, each once, looked at or not", async () => {
    expect(await listHeads(records.db, mesh)).toMatchObject([
      { ...main, url: "file:///examples.git", commit: null, lookedAt: null, ageMs: null },
    ]);
    expect(await recordCompared(records.db, mesh, { ...main, commit: treeOf("1") })).toBe(false);
    expect([...(await listFollowed(records.db, mesh))]).toEqual(
      expect.arrayContaining([
        ["core", expect.objectContaining({ ...main, commit: null, lookedAt: null })],
        ["meshboard", expect.objectContaining({ ...main, commit: null, lookedAt: null })],
      ]),
    );
  });

  it("keep the last good tip while the source fails, with the beginning of the failure (case 4)", async () => {
    await recordLook(records.db, mesh, { ...main, commit: treeOf("1"), askedMsAgo: 0 });
    expect(await recordCompared(records.db, mesh, { ...main, commit: treeOf("1") })).toBe(true);
    await records.db.query(`update source_head set looked_at = now() - interval '10 seconds'`);
    await recordLookFailure(records.db, mesh, { ...main, failure: "503" });
    const [failing] = await listHeads(records.db, mesh);
    await recordLookFailure(records.db, mesh, { ...main, failure: "gone" });
    const [still] = await listHeads(records.db, mesh);
    expect(still).toMatchObject({
      commit: treeOf("1"),
      comparedCommit: treeOf("1"),
      failure: "gone",
      failingSince: failing?.failingSince,
    });
    // When it was asked last, for who waits for a look: timestamps of the records have microseconds.
    expect(failing?.failedAt).toBe(failing?.failingSince);
    expect(Date.parse(still?.failedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(failing?.failedAt ?? ""));
    expect(still?.failedAt).not.toBe(failing?.failedAt);
    // A failed look is no look: the age of what we know goes on rising.
    expect(still?.ageMs).toBeGreaterThanOrEqual(10_000);
    await recordLook(records.db, mesh, { ...main, commit: treeOf("2"), askedMsAgo: 0 });
    const [head] = await listHeads(records.db, mesh);
    expect((await listFollowed(records.db, mesh)).get("core")?.lookedAt).toBe(head?.lookedAt);
    // A tip is as old as its first look.
    await records.db.query(`update source_head set commit_seen_at = now() - interval '10 seconds'`);
    const seenAt = async () => (await listHeads(records.db, mesh))[0]?.commitSeenAt;
    const first = await seenAt();
    await recordLook(records.db, mesh, { ...main, commit: treeOf("2"), askedMsAgo: 0 });
    expect(await seenAt()).toBe(first);
    await recordLook(records.db, mesh, { ...main, commit: treeOf("3"), askedMsAgo: 0 });
    expect(await seenAt()).not.toBe(first);
    await recordLook(records.db, mesh, { ...main, commit: treeOf("2"), askedMsAgo: 0 });
    expect((await listHeads(records.db, mesh))[0]).toMatchObject({
      commit: treeOf("2"),
      comparedCommit: treeOf("1"),
      failure: null,
      failingSince: null,
      failedAt: null,
    });
  });
});

describe("an answer of a source", () => {
  const tip = async () => (await listHeads(records.db, mesh)).find(({ branch }) => branch === main.branch);
  const answer = (commit: string, askedMsAgo: number) =>
    recordLook(records.db, mesh, { ...main, commit: treeOf(commit), askedMsAgo });

  it("counts from its question: what was pushed after that is not in it (R48)", async () => {
    await records.db.query(`update source_head set looked_at = null`);
    await answer("1", 5_000);
    expect((await tip())?.ageMs).toBeGreaterThanOrEqual(5_000);
  });

  it("does not take the place of one to a later question, however late it comes (R48)", async () => {
    await records.db.query(`update source_head set looked_at = null`);
    await answer("new", 1_000);
    const before = await tip();
    await answer("old", 20_000);
    expect(await tip()).toMatchObject({ commit: treeOf("new"), lookedAt: before?.lookedAt });
    await answer("newer", 0);
    expect(await tip()).toMatchObject({ commit: treeOf("newer") });
    // The records' clock was an hour ahead, and is right again.
    await records.db.query(`update source_head set looked_at = now() + interval '1 hour'`);
    await answer("after", 0);
    expect(await tip()).toMatchObject({ commit: treeOf("after") });
  });
});

describe("edges and imports", () => {
  const edge = (dependency: string, line = 1, kind: Edge["kind"] = "build") => ({
    dependency,
    kind,
    file: "src/page.ts",
    line,
  });

  it("of a module are replaced as a whole", async () => {
    await replaceEdges(records.db, mesh, [
      { module: "meshboard", edges: [edge("core"), edge("core", 2, "test"), edge("other")] },
    ]);
    await replaceEdges(records.db, mesh, [{ module: "core", edges: [edge("other")] }]);
    await replaceEdges(records.db, mesh, [{ module: "meshboard", edges: [edge("core", 7)] }]);
    expect(await listEdges(records.db, mesh)).toEqual([
      { module: "core", ...edge("other") },
      { module: "meshboard", ...edge("core", 7) },
    ]);
    await replaceEdges(records.db, mesh, [{ module: "core", edges: [] }]);
    expect(await listEdges(records.db, mesh)).toHaveLength(1);
    const lastKnown = { ...edge("core", 7), lastKnown: true as const };
    await replaceEdges(records.db, mesh, [{ module: "meshboard", edges: [lastKnown] }]);
    expect(await listEdges(records.db, mesh)).toEqual([{ module: "meshboard", ...lastKnown }]);
    await replaceEdges(records.db, mesh, [{ module: "meshboard", edges: [edge("core", 7)] }]);
    expect(await listEdges(records.db, mesh)).toEqual([{ module: "meshboard", ...edge("core", 7) }]);
  });

  it("are cached by blob and reader, hostile text and all", async () => {
    await putCachedImports(
      records.db,
      "typescript/1",
      new Map<string, unknown>([
        [treeOf("a"), { imports: ["a\0\ud800"] }],
        [treeOf("b"), { imports: [] }],
      ]),
    );
    await putCachedImports(records.db, "typescript/1", new Map([[treeOf("a"), { imports: ["later"] }]]));
    expect(await getCachedImports(records.db, "typescript/1", [treeOf("a"), treeOf("c")])).toEqual(
      new Map([[treeOf("a"), { imports: ["a\uFFFD\uFFFD"] }]]),
    );
    expect(await getCachedImports(records.db, "typescript/2", [treeOf("a")])).toEqual(new Map());
  });
});
