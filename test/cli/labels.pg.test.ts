import { beforeEach, describe, expect, it } from "vitest";
import { addBuildCheck, recordCheck } from "../../src/store/build-check-queue.ts";
import { clearCondition, observeCondition } from "../../src/store/conditions.ts";
import { recordHeldCommits } from "../../src/store/held-sources.ts";
import { getModule } from "../../src/store/modules.ts";
import { digestOf, grant, mesh } from "../store/open-records.ts";
import { type ComparedBed, openComparedBed } from "./compared-bed.ts";

let bed: ComparedBed;

beforeEach(async () => {
  bed = await openComparedBed();
  await grant(bed.records.db);
  return () => bed.close();
});

const condition = { code: "not-reproducible", subject: "core" };

/** As the comparison of a second build keeps it. */
async function findDiffering(files: readonly string[]): Promise<void> {
  const { db } = bed.records;
  const core = await getModule(db, mesh, "core");
  if (core?.fitInputs == null || core.fitArtifact === null) throw new Error("core is not fit");
  const check = { module: "core", inputs: core.fitInputs, artifact: core.fitArtifact, attempts: 0 };
  await addBuildCheck(db, mesh, { ...check, why: "its first build", inMs: 0 });
  await recordCheck(db, mesh, { ...check, state: "differs", second: digestOf("another"), files, varied: [] });
  await observeCondition(db, mesh, { ...condition, message: "", remedy: "", urgent: false });
}

describe("a module whose second build differed (R10)", () => {
  it("says so with its files and since when, in why and status, and in why of who is built against it", async () => {
    await findDiffering(["dist/index.js: 12 bytes, then 14", "dist/b.js: only in the first"]);
    const why = await bed.run("why", "core");
    expect(why.stdout).toMatch(
      /\n {2}not reproducible, found just now: two builds of the same inputs differ in\n {4}dist\/index\.js: 12 bytes, then 14\n {4}dist\/b\.js: only in the first\n/,
    );
    const status = await bed.run("status");
    expect(status.stdout).toMatch(
      /\ncore .*\n {2}not reproducible, found .*: two builds of the same inputs differ in dist\/index\.js: 12 bytes, then 14, and 1 more/,
    );
    const sentence = "core is not reproducible: every rebuild of it rebuilds this (mesh why core)";
    expect((await bed.run("why", "mid")).stdout).toContain(sentence);
    expect((await bed.run("why", "other")).stdout).not.toContain("not reproducible");
    expect(await bed.documentOf("why", "core")).toMatchObject({
      module: { notReproducible: { files: ["dist/index.js: 12 bytes, then 14", "dist/b.js: only in the first"] } },
    });
  });

  it("says nothing more as soon as a second build was the same", async () => {
    await findDiffering(["a"]);
    await clearCondition(bed.records.db, mesh, condition);
    for (const command of [["why", "core"], ["why", "mid"], ["status"]])
      expect((await bed.run(...command)).stdout).not.toContain("not reproducible");
  });
});

describe("a module whose newer commit waits (R16)", () => {
  it("names the commit and what it waits for, in why and status", async () => {
    const sentence = "a newer commit abababa was seen, and is taken as soon as page is judged, which waited too long";
    await recordHeldCommits(bed.records.db, mesh, [{ name: "core", commit: "ab".repeat(20), waitsFor: "page" }]);
    expect((await bed.run("why", "core")).stdout).toContain(sentence);
    expect((await bed.run("status")).stdout).toContain(sentence);
    expect(await bed.documentOf("why", "core")).toMatchObject({
      module: { heldCommit: { commit: "ab".repeat(20), waitsFor: "page" } },
    });
    await recordHeldCommits(bed.records.db, mesh, []);
    expect((await bed.run("why", "core")).stdout).not.toContain("newer commit");
  });
});

describe("a module whose source moved, a moment before it is known what follows (R31, R48)", () => {
  it("is out of date, and what was built of it has not the same content", async () => {
    expect((await bed.run("status")).stdout).toMatch(/^core +source \w+ · built from \w+ · fit/m);
    await bed.records.db.query(`update module set tree = $1 where name = 'core'`, ["ab".repeat(20)]);
    expect((await bed.run("status")).stdout).toMatch(/^core +source \w+ · built from \w+ · out of date/m);
    expect(await bed.documentOf("status")).toMatchObject({
      modules: expect.arrayContaining([expect.objectContaining({ module: "core", standing: "out-of-date" })]),
    });
  });
});
