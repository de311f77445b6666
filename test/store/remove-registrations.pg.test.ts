import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assign, unassign } from "../../src/store/assignments.ts";
import { putArtifact, getArtifact } from "../../src/store/artifacts.ts";
import { listConditions, observeCondition } from "../../src/store/conditions.ts";
import { listEdges, replaceEdges } from "../../src/store/edges.ts";
import { addModule, listModules } from "../../src/store/modules.ts";
import { removeModule } from "../../src/store/remove-module.ts";
import { removeRepository } from "../../src/store/remove-repository.ts";
import { addRepository, listRepositories } from "../../src/store/repositories.ts";
import { recordLook, recordLookFailure } from "../../src/store/source-heads.ts";
import {
  addModules,
  addNodes,
  artifactOf,
  digestOf,
  grant,
  manifestOf,
  mesh,
  openRecords,
  type Records,
  sendOne,
  treeOf,
} from "./open-records.ts";

let records: Records;

beforeEach(async () => {
  records = await openRecords();
  await addModules(records.db, "core", "meshboard");
});
afterEach(() => records.close());

const unlessImported = { whereImported: "stays" } as const;
const free = { known: true, removed: true, assignedTo: [], carriedBy: [], imports: [] };
const edge = { dependency: "core", kind: "build", file: "src/a.ts", line: 1 } as const;

async function unreachable(branch: string): Promise<void> {
  await recordLookFailure(records.db, mesh, { repository: "examples", branch, failure: "503" });
  const subject = `examples#${branch}`;
  await observeCondition(records.db, mesh, {
    code: "source-unreachable",
    subject,
    message: "m",
    remedy: "r",
    urgent: false,
  });
}

async function listHeadRows(): Promise<readonly unknown[]> {
  return (await records.db.query("select repository, branch from source_head order by 1, 2")).rows;
}

async function listSubjects(): Promise<string[]> {
  return (await listConditions(records.db, mesh)).map((one) => one.subject);
}

describe("a module that was registered wrongly", () => {
  it("goes with its edges; what was built of it stays in the records", async () => {
    const { db } = records;
    await replaceEdges(db, mesh, [{ module: "meshboard", edges: [edge] }]);
    await putArtifact(db, mesh, artifactOf("meshboard", "out"), manifestOf("meshboard"));
    expect(await removeModule(db, mesh, "meshboard", unlessImported)).toEqual(free);
    expect((await listModules(db, mesh)).map((one) => one.name)).toEqual(["core"]);
    expect(await listEdges(db, mesh)).toEqual([]);
    expect(await getArtifact(db, mesh, "meshboard", digestOf("out"))).not.toBeNull();
    expect(await removeModule(db, mesh, "meshboard", unlessImported)).toEqual({
      ...free,
      known: false,
      removed: false,
    });
    // Another source under this name is no contradiction any more.
    await addModule(db, mesh, { name: "meshboard", repository: "examples", branch: "main", path: "right" });
  });

  it("takes along what was said of it: nothing watches that any more, and it would stay for ever (R33)", async () => {
    const { db } = records;
    const codes = ["build-outstanding", "build-unfit", "not-reproducible", "second-build-failing"];
    const said = { message: "m", remedy: "r", urgent: false };
    for (const subject of ["core", "meshboard"]) {
      for (const code of codes) await observeCondition(db, mesh, { ...said, code, subject });
      await observeCondition(db, mesh, { ...said, code: "step-failed", subject: `build ${subject}@${digestOf("in")}` });
    }
    await removeModule(db, mesh, "core", unlessImported);
    expect((await listSubjects()).toSorted()).toEqual([
      `build meshboard@${digestOf("in")}`,
      ...codes.map(() => "meshboard"),
    ]);
  });

  it("takes the branch that only it followed along, and what was said of it, and no other (case 4)", async () => {
    const { db } = records;
    await addModule(db, mesh, { name: "typo", repository: "examples", branch: "mian", path: "typo" });
    await unreachable("mian");
    await unreachable("main");
    await removeModule(db, mesh, "core", unlessImported);
    expect(await listSubjects()).toEqual(expect.arrayContaining(["examples#main", "examples#mian"]));
    await removeModule(db, mesh, "typo", unlessImported);
    expect(await listSubjects()).toEqual(["examples#main"]);
    expect(await listHeadRows()).toEqual([{ repository: "examples", branch: "main" }]);
  });

  it("does not come back by a look that was under way", async () => {
    const { db } = records;
    await addModule(db, mesh, { name: "typo", repository: "examples", branch: "mian", path: "typo" });
    await removeModule(db, mesh, "typo", unlessImported);
    const head = { repository: "examples", branch: "mian" };
    expect(await recordLookFailure(db, mesh, { ...head, failure: "503" })).toBe(false);
    await recordLook(db, mesh, { ...head, commit: treeOf("1"), askedMsAgo: 0 });
    expect(await listHeadRows()).toEqual([]);
  });

  it("says what imports it", async () => {
    await replaceEdges(records.db, mesh, [{ module: "meshboard", edges: [edge, { ...edge, kind: "test" }] }]);
    const { file, line } = edge;
    const imports = ["build", "test"].map((kind) => ({ module: "meshboard", kind, file, line, lastKnown: false }));
    expect(await removeModule(records.db, mesh, "core", unlessImported)).toEqual({ ...free, removed: false, imports });
    expect((await listModules(records.db, mesh)).map((one) => one.name)).toContain("core");
    expect(await removeModule(records.db, mesh, "core", { whereImported: "goes" })).toEqual({ ...free, imports });
  });

  it("stays while it is assigned, or a node was last sent it", async () => {
    const { db } = records;
    await addNodes(db, "node-a", "node-b");
    await assign(db, mesh, { node: "node-a", module: "core", config: {}, providers: {} });
    const stays = { ...free, removed: false };
    expect(await removeModule(db, mesh, "core", unlessImported)).toEqual({ ...stays, assignedTo: ["node-a"] });
    const epoch = await grant(db);
    await sendOne(db, epoch, "node-a", { builds: { core: digestOf("out") } });
    await unassign(db, mesh, { node: "node-a", module: "core" });
    expect(await removeModule(db, mesh, "core", unlessImported)).toEqual({ ...stays, carriedBy: ["node-a"] });
    await sendOne(db, epoch, "node-a");
    await sendOne(db, epoch, "node-b");
    await db.query("update declaration set builds = null where node = 'node-b'");
    expect(await removeModule(db, mesh, "core", unlessImported)).toEqual({ ...stays, carriedBy: ["node-b"] });
    await sendOne(db, epoch, "node-b");
    expect(await removeModule(db, mesh, "core", unlessImported)).toEqual(free);
  });
});

describe("a repository that was registered wrongly", () => {
  it("stays while modules follow it, and goes with its heads after them", async () => {
    const { db } = records;
    expect(await removeRepository(db, mesh, "examples")).toEqual({
      known: true,
      removed: false,
      followedBy: ["core", "meshboard"],
    });
    await addRepository(db, mesh, { name: "examples-2", url: "file:///two.git" });
    await unreachable("main");
    await db.query("delete from module");
    expect(await removeRepository(db, mesh, "examples")).toEqual({ known: true, removed: true, followedBy: [] });
    expect((await listRepositories(db, mesh)).map((one) => one.name)).toEqual(["examples-2"]);
    expect([await listHeadRows(), await listSubjects()]).toEqual([[], []]);
    expect(await removeRepository(db, mesh, "examples")).toEqual({ known: false, removed: false, followedBy: [] });
  });
});
