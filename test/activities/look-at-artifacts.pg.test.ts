import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { lookAtArtifacts } from "../../src/activities/look-at-artifacts.ts";
import { noteRebuilt } from "../../src/activities/note-rebuilt.ts";
import { doubtArtifact, listDoubts } from "../../src/store/artifact-doubts.ts";
import { listBuildChecks } from "../../src/store/build-checks.ts";
import { getBuild } from "../../src/store/builds.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { listProvenance } from "../../src/store/provenance.ts";
import { type ArtifactBed, openArtifactBed } from "../cli/artifact-bed.ts";
import { addNodes, digestOf, grant, mesh, sendOne } from "../store/open-records.ts";

let bed: ArtifactBed;

beforeEach(async () => {
  bed = await openArtifactBed();
  return () => bed.close();
});

const fileOf = (digest: string): string => join(bed.store.dir, "blobs", "sha256", digest.slice("sha256:".length));

async function look(all = true): Promise<void> {
  const { db } = bed.records;
  const { signal } = new AbortController();
  await lookAtArtifacts({ db, builderDb: db, mesh, artifacts: bed.store, signal }, { all });
}

/** As a plan does: what is fit is what its source gives. */
async function want(): Promise<void> {
  await bed.records.db.query(`update module set wanted_inputs = fit_inputs`);
}

const losses = async () =>
  (await listConditions(bed.records.db, mesh))
    .filter(({ code }) => code === "artifact-lost")
    .toSorted((a, b) => (a.subject < b.subject ? -1 : 1));

describe("an artifact whose bytes", () => {
  it("are gone is to be built again at the inputs it had, said once, and sound when they are there again", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    const app = await bed.build("app", { "main.txt": "x" }, { against: { core: core.artifact.digest } });
    await want();
    const kept = await readFile(fileOf(core.artifact.blob));
    await rm(fileOf(core.artifact.blob));
    await look();
    await look();
    const { db } = bed.records;
    expect(await getBuild(db, mesh, "core", core.inputs)).toMatchObject({
      state: "outstanding",
      class: "artifact-store",
      message: expect.stringMatching(
        /^its artifact [0-9a-f]{12} is lost \(its bytes .* are not in the artifact store\)/,
      ),
    });
    expect(await getBuild(db, mesh, "app", app.inputs)).toMatchObject({ state: "fit" });
    expect(await losses()).toMatchObject([
      { subject: "core", urgent: false, remedy: expect.stringMatching(/by itself .*mesh build core --again/) },
    ]);
    const verify = await bed.run("artifact", "verify", "core");
    expect(verify).toMatchObject({ code: 2, stdout: expect.stringMatching(/next: mesh build core --again/) });

    await writeFile(fileOf(core.artifact.blob), kept);
    await look();
    expect(await losses()).toEqual([]);
    expect(await listDoubts(db, mesh)).toMatchObject([{ module: "core", state: "sound" }]);
  });

  it("are cut short is lost; one that has its length and other bytes is so when somebody asks", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    const app = await bed.build("app", { "a.txt": "two" });
    await writeFile(fileOf(core.artifact.blob), "half");
    const bytes = await readFile(fileOf(app.artifact.blob));
    bytes[600] = (bytes[600] ?? 0) ^ 1;
    await writeFile(fileOf(app.artifact.blob), bytes);
    await look();
    expect((await losses()).map(({ subject }) => subject)).toEqual(["core"]);
    await doubtArtifact(bed.records.db, mesh, { module: "app", artifact: app.artifact.digest }, "build");
    await look(false);
    expect((await losses()).map(({ subject }) => subject)).toEqual(["app", "core"]);
  });

  it("were last sent to a node, and are of no source any more, names the push that sends another one", async () => {
    const old = await bed.build("core", { "a.txt": "one" });
    const { db } = bed.records;
    await addNodes(db, "node-a");
    await sendOne(db, await grant(db), "node-a", { builds: { core: old.artifact.digest } });
    const newer = await bed.build("core", { "a.txt": "two" });
    await want();
    await rm(fileOf(old.artifact.blob));
    await look();
    expect(await losses()).toMatchObject([
      {
        message: expect.stringMatching(/which node-a was last sent, is lost/),
        remedy: expect.stringMatching(/^mesh push node-a sends the newest; or take the source of core back/),
      },
    ]);
    const verify = await bed.run("artifact", "verify", "--all");
    expect(verify).toMatchObject({ code: 2, stdout: expect.stringMatching(/next: mesh push node-a sends the newest/) });
    // As it was advised.
    await sendOne(db, await grant(db), "node-a", { builds: { core: newer.artifact.digest } });
    await look();
    expect(await losses()).toEqual([]);
  });

  it("are of no source any more, and the newest fit: the newer one's push ends it, and so does the source that goes back (R33)", async () => {
    const old = await bed.build("core", { "a.txt": "one" });
    const { db } = bed.records;
    await addNodes(db, "node-a");
    await sendOne(db, await grant(db), "node-a", { builds: { core: old.artifact.digest } });
    // Its source gives another one, which is not fit yet.
    await db.query(`update module set wanted_inputs = $1`, [digestOf("newer inputs")]);
    const kept = await readFile(fileOf(old.artifact.blob));
    await rm(fileOf(old.artifact.blob));
    await look();
    const [said] = await losses();
    expect(said?.remedy).toMatch(
      /^its source gives another one now \(mesh why core\): once that is fit, mesh push node-a sends it; or take/,
    );
    expect(said?.remedy).not.toContain("--again");
    // The source goes back: it is to be built again, which puts it back.
    await want();
    await look();
    expect((await losses())[0]?.remedy).toMatch(/^nothing: it is built again by itself/);
    expect(await getBuild(db, mesh, "core", old.inputs)).toMatchObject({
      state: "outstanding",
      class: "artifact-store",
    });
    await writeFile(fileOf(old.artifact.blob), kept);
    await look();
    expect(await losses()).toEqual([]);
    // Lost again, and the newer one becomes fit and is pushed.
    await rm(fileOf(old.artifact.blob));
    const newer = await bed.build("core", { "a.txt": "two" });
    await sendOne(db, await grant(db), "node-a", { builds: { core: newer.artifact.digest } });
    await want();
    await look();
    expect(await losses()).toEqual([]);
  });
});

describe("a store in which nothing is there", () => {
  it("is said, and nothing is built again by itself: its disk may not be mounted; a person may ask", async () => {
    const built = [];
    for (const name of ["core", "app", "page"]) built.push(await bed.build(name, { "a.txt": name }));
    for (const { artifact } of built) await rm(fileOf(artifact.blob));
    await look();
    expect(await losses()).toMatchObject([
      { subject: "the store", urgent: true, remedy: expect.stringMatching(/mesh build --again/) },
    ]);
    const { rows } = await bed.records.db.query(`select distinct state from build`);
    expect(rows).toEqual([{ state: "fit" }]);
    for (const { artifact } of built)
      await doubtArtifact(bed.records.db, mesh, { module: artifact.module, artifact: artifact.digest }, "person");
    await look(false);
    await look();
    expect((await losses()).map(({ subject }) => subject)).toEqual(["app", "core", "page"]);
  });

  it("because its folder is gone, or is no store, says nothing about any artifact", async () => {
    await bed.build("core", { "a.txt": "one" });
    await rm(join(bed.store.dir, "oci-layout"));
    await expect(look()).rejects.toThrow(/is no artifact store/);
    await rename(bed.store.dir, `${bed.store.dir}-away`);
    await expect(look()).rejects.toThrow(/does not answer/);
    expect(await listDoubts(bed.records.db, mesh)).toEqual([]);
  });
});

describe("an artifact that somebody asks about", () => {
  it("and that is there is built a second time where a person asked, also if it was before", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    const { db } = bed.records;
    await doubtArtifact(db, mesh, { module: "core", artifact: core.artifact.digest }, "build");
    await look(false);
    expect(await listBuildChecks(db, mesh)).toEqual([]);
    for (let time = 0; time < 2; time += 1) {
      await doubtArtifact(db, mesh, { module: "core", artifact: core.artifact.digest }, "person");
      await look(false);
      expect(await listBuildChecks(db, mesh)).toMatchObject([{ inputs: core.inputs, state: "due" }]);
      await db.query(`update build_check set state = 'same', checked_at = now()`);
    }
    expect(await listDoubts(db, mesh)).toMatchObject([{ state: "sound", found: "" }]);
  });

  it("and whose statement is lost has it dropped once a build has written another one", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    const { db } = bed.records;
    const which = { module: "core", artifact: core.artifact.digest };
    const [before] = await listProvenance(db, mesh, which);
    await rm(fileOf(before?.statement ?? ""));
    await doubtArtifact(db, mesh, which, "person");
    await look(false);
    expect(await listDoubts(db, mesh)).toMatchObject([
      { state: "lost", found: expect.stringMatching(/^its statement/), inputs: [core.inputs] },
    ]);
    // As the build does that comes of it.
    await db.query(`update build set state = 'outstanding'`);
    await bed.build("core", { "a.txt": "one" }, { invocation: "again" });
    await look(false);
    expect(await listDoubts(db, mesh)).toMatchObject([{ state: "sound" }]);
    expect(await bed.run("artifact", "verify", "core")).toMatchObject({ code: 0 });
  });
});

describe("what was built again because it was lost", () => {
  it("and is another content is named not reproducible; the same is nothing to say", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    await rm(fileOf(core.artifact.blob));
    await look();
    const { db } = bed.records;
    const rebuilt = { module: "core", inputs: core.inputs, artifact: core.artifact.digest };
    await noteRebuilt(db, mesh, rebuilt);
    expect((await listConditions(db, mesh)).map(({ code }) => code)).toEqual(["artifact-lost"]);
    await noteRebuilt(db, mesh, { ...rebuilt, artifact: `sha256:${"7".repeat(64)}` });
    expect((await listConditions(db, mesh)).find(({ code }) => code === "not-reproducible")).toMatchObject({
      subject: "core",
      message: expect.stringMatching(/was lost, it came out as 7777777; which files differ cannot be said/),
    });
  });
});
