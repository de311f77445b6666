import { readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { collectArtifacts } from "../../src/activities/collect-artifacts.ts";
import { verifyArtifact } from "../../src/activities/verify-artifact.ts";
import { readRoot } from "../../src/cli/artifacts/open-store.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { getArtifact, listAllArtifacts } from "../../src/store/artifacts.ts";
import { dropCollectedProvenance } from "../../src/store/collection.ts";
import type { Database } from "../../src/store/database.ts";
import { listProvenance } from "../../src/store/provenance.ts";
import { claimBuild, getBuild } from "../../src/store/builds.ts";
import { loadWorld } from "../../src/store/world.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { addNodes, grant, mesh, sendOne } from "../store/open-records.ts";
import { type ArtifactBed, openArtifactBed } from "./artifact-bed.ts";

let bed: ArtifactBed;

beforeEach(async () => {
  bed = await openArtifactBed();
  return () => bed.close();
});

const blobs = (): string => join(meshPaths(bed.state).artifacts, "blobs", "sha256");

/** Everything that is there now was built long ago. */
async function age(): Promise<void> {
  await bed.records.db.query(`update artifact set packed_at = now() - interval '10 days'`);
  const then = Date.now() / 1000 - 10 * 86_400;
  for (const name of await readdir(blobs())) await utimes(join(blobs(), name), then, then);
}

const collect = (db: Database = bed.records.db) =>
  collectArtifacts({
    db,
    mesh,
    dir: meshPaths(bed.state).artifacts,
    graceMs: 3_600_000,
    now: () => new Date(),
  });

/** The same database; `after` is told of each list of what is collected, once it is read. */
function watchLists(after: () => Promise<void>): Database {
  const { db } = bed.records;
  const query: Database["query"] = async (sql, values) => {
    const answer = await db.query(sql, values);
    if (/where mesh = \$1 and collected_at is not null/.test(sql)) await after();
    return answer;
  };
  return new Proxy(db, { get: (target, key) => (key === "query" ? query : Reflect.get(target, key, target)) });
}

async function listFaults(): Promise<string[]> {
  const root = await readRoot(await bed.connect());
  const faults: string[] = [];
  for (const record of await listAllArtifacts(bed.records.db, mesh)) {
    if (record.collectedAt !== null) continue;
    const found = await verifyArtifact({ db: bed.records.db, mesh, store: bed.store, root }, record);
    faults.push(...found.map((fault) => `${record.artifact.module}: ${fault.message}`));
  }
  return faults;
}

describe("mesh artifact gc", () => {
  it("shows what it would delete and why the rest stays, and changes nothing", async () => {
    const old = await bed.build("core", { "a.txt": "one" });
    const input = await bed.build("core", { "a.txt": "two" });
    await bed.build("app", { "main.txt": "x" }, { against: { core: input.artifact.digest } });
    await bed.build("core", { "a.txt": "three" });
    await age();
    const before = (await readdir(blobs())).toSorted();
    const ran = await bed.run("artifact", "gc");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/it is the newest fit core/);
    expect(ran.stdout).toMatch(/it is built into a app that is kept/);
    expect(ran.stdout).toMatch(new RegExp(`would be deleted\\n +core +${old.artifact.digest.slice(7, 19)}`));
    expect(ran.stdout).toMatch(/next: mesh artifact gc --delete/);
    expect((await readdir(blobs())).toSorted()).toEqual(before);
    expect((await getArtifact(bed.records.db, mesh, "core", old.artifact.digest))?.collectedAt).toBeNull();
  });

  it("tells the line that deletes what was shown, also with another grace (R48)", async () => {
    await bed.build("core", { "a.txt": "one" });
    await bed.build("core", { "a.txt": "two" });
    await age();
    expect((await bed.run("artifact", "gc", "--grace", "36")).stdout).toMatch(
      /next: mesh artifact gc --delete --grace 36$/m,
    );
    expect((await bed.run("artifact", "gc", "--grace", "24")).stdout).toMatch(/next: mesh artifact gc --delete$/m);
    expect(await bed.documentOf("artifact", "gc", "--grace", "36")).toMatchObject({ graceHours: 36 });
  });

  it("deletes nothing while the mesh is stopped: what hosts were sent may not be in the records (R35)", async () => {
    await bed.build("core", { "a.txt": "one" });
    await bed.build("core", { "a.txt": "two" });
    await age();
    await bed.records.db.query(`update mesh set stopped_at = now(), stopped_for = 'hosts-ahead'`);
    const before = (await readdir(blobs())).toSorted();
    const ran = await bed.run("artifact", "gc", "--delete");
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/is stopped.*\n {2}next: see what each host has: mesh recover/);
    expect((await readdir(blobs())).toSorted()).toEqual(before);
  });

  it("deletes bytes, manifest, statement and index entry of what nobody needs; all else verifies", async () => {
    const old = await bed.build("core", { "a.txt": "one" });
    await bed.build("core", { "a.txt": "two" });
    await age();
    const document = await bed.documentOf("artifact", "gc", "--delete");
    expect(document).toMatchObject({
      schema: "mesh.artifact-gc.v1",
      collect: [{ module: "core", digest: old.artifact.digest }],
      done: { blobs: 5, revived: [] },
    });
    expect(await readdir(blobs())).toHaveLength(6);
    const index = JSON.parse(await readFile(join(meshPaths(bed.state).artifacts, "index.json"), "utf8")) as {
      manifests: unknown[];
    };
    expect(index.manifests).toHaveLength(2);
    expect(await listFaults()).toEqual([]);
    const shown = await bed.run("artifact", "list", "core");
    expect(shown.stdout).toMatch(/collected just now|collected .* ago/);
    const verified = await bed.run("artifact", "verify", old.artifact.digest);
    expect(verified).toMatchObject({ code: 2, stdout: expect.stringMatching(/collected: it was collected at/) });
  });

  it("leaves what a node was last sent, also where its module has moved on", async () => {
    const sent = await bed.build("core", { "a.txt": "one" });
    await bed.build("core", { "a.txt": "two" });
    await addNodes(bed.records.db, "node-a");
    const epoch = await grant(bed.records.db);
    await sendOne(bed.records.db, epoch, "node-a", { builds: { core: sent.artifact.digest } });
    await age();
    expect((await bed.run("artifact", "gc", "--delete")).stdout).toMatch(/it was last sent to node-a/);
    expect(await listFaults()).toEqual([]);
    await sendOne(bed.records.db, epoch, "node-a", { builds: {} });
    expect((await collect()).marked).toEqual([{ module: "core", digest: sent.artifact.digest }]);
  });

  it("leaves what was built lately, and what a build under way is built against", async () => {
    const young = await bed.build("core", { "a.txt": "one" });
    await bed.build("core", { "a.txt": "two" });
    expect((await collect()).marked).toEqual([]);
    await age();
    const build = await getBuild(bed.records.db, mesh, "core", young.inputs);
    if (build === null) throw new Error("no build");
    await claimBuild(bed.records.db, mesh, {
      module: "app",
      inputs: `sha256:${"5".repeat(64)}`,
      closure: { ...build.closure, module: "app", dependencies: { core: young.artifact.digest } },
      commit: build.commit,
      claimant: "somebody",
      staleMs: 60_000,
    });
    expect((await collect()).marked).toEqual([]);
  });

  it("keeps bytes that a kept artifact of another module has too", async () => {
    await bed.build("core", { "a.txt": "same" });
    await bed.build("other", { "a.txt": "same" });
    await bed.build("core", { "a.txt": "moved on" });
    await age();
    expect((await collect()).marked).toHaveLength(1);
    expect(await listFaults()).toEqual([]);
  });

  it("makes what is collected be built again when it is wanted: no composition has it, its build is due", async () => {
    const old = await bed.build("core", { "a.txt": "one" });
    await bed.build("core", { "a.txt": "two" });
    await age();
    await collect();
    const build = await getBuild(bed.records.db, mesh, "core", old.inputs);
    expect(build).toMatchObject({ state: "outstanding", class: "artifact-store" });
    expect(build?.message).toMatch(/its artifact [0-9a-f]{12} was collected at .*: it must be built again/);
    await bed.records.db.query(`update module set fit_artifact = $1`, [old.artifact.digest]);
    const world = await inTransaction(bed.records.db, { isolation: "repeatable read" }, (tx) => loadWorld(tx, mesh));
    expect([...world.artifacts.keys()]).toEqual([]);
    const again = await bed.build("core", { "a.txt": "one" });
    expect(again.artifact).toEqual(old.artifact);
    expect(await listFaults()).toEqual([]);
  });

  it("goes on where a run was cut off between the records and the files", async () => {
    await bed.build("core", { "a.txt": "one" });
    await bed.build("core", { "a.txt": "two" });
    await age();
    await bed.records.db.query(
      `update artifact set collected_at = now() where digest not in (select fit_artifact from module)`,
    );
    expect(await collect()).toMatchObject({ marked: [], blobs: 5 });
    expect(await listFaults()).toEqual([]);
    expect(await collect()).toMatchObject({ marked: [], blobs: 0, bytes: 0 });
  });

  it("refuses a grace period of nothing", async () => {
    expect((await bed.run("artifact", "gc", "--grace", "0")).code).toBe(2);
  });
});

describe("a collection beside builds that give the same again", () => {
  it("keeps the statements of what was packed again while it ran (R45)", async () => {
    const { db } = bed.records;
    const { artifact } = await bed.build("core", { "a.txt": "one" });
    const kept = () => listProvenance(db, mesh, { module: "core", artifact: artifact.digest });
    const statements = (await kept()).map(({ statement }) => statement);
    await dropCollectedProvenance(db, mesh, artifact, statements);
    expect(await kept()).toHaveLength(1);
    await db.query(`update artifact set collected_at = now()`);
    await dropCollectedProvenance(db, mesh, artifact, statements);
    expect(await kept()).toEqual([]);
  });

  it("leaves what was packed again since it was listed, however old its files are when their turn comes (R45)", async () => {
    const { artifact } = await bed.build("core", { "a.txt": "one" });
    await bed.build("core", { "a.txt": "two" });
    await age();
    let lists = 0;
    const collected = await collect(
      watchLists(async () => {
        lists += 1;
        if (lists === 1) await bed.records.db.query(`update artifact set collected_at = null`);
      }),
    );
    expect(collected).toMatchObject({ blobs: 0, revived: [{ module: "core", digest: artifact.digest }] });
    expect(await listFaults()).toEqual([]);
  });

  it("takes the index once for many, and not again for what was swept before (case 6)", async () => {
    for (let at = 0; at < 5; at += 1) await bed.build("core", { "a.txt": `text ${at}` });
    await age();
    let lists = 0;
    const collectCounted = () => collect(watchLists(async () => void (lists += 1)));
    expect((await collectCounted()).marked).toHaveLength(4);
    // All of them, and those of one turn under the index's lock.
    expect(lists).toBe(2);
    expect(await collectCounted()).toMatchObject({ blobs: 0, bytes: 0, revived: [] });
    expect(lists).toBe(3);
  });

  it("never loses a byte of what the records have", { timeout: 120_000 }, async () => {
    const texts = ["one", "two", "three", "four", "five", "six"];
    for (const text of texts) await bed.build("core", { "a.txt": text });
    await bed.build("core", { "a.txt": "newest" });
    for (let round = 0; round < 4; round += 1) {
      await age();
      await Promise.all([
        collect(),
        ...texts.slice(0, 3).map((text) => bed.build("core", { "a.txt": text })),
        collect(),
        ...texts.slice(3, 5).map((text) => bed.build("core", { "a.txt": text })),
      ]);
      expect(await listFaults()).toEqual([]);
    }
  });
});
