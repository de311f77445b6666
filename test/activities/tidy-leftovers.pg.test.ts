import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { cloneName } from "../../src/activities/repository-pool.ts";
import { tidyLeftovers } from "../../src/activities/tidy-leftovers.ts";
import { isKept } from "../../src/build/kept-use.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import type { LeftoverBounds } from "../../src/decide/plan-leftovers.ts";
import { getBuild } from "../../src/store/builds.ts";
import { type ArtifactBed, openArtifactBed } from "../cli/artifact-bed.ts";
import { mesh } from "../store/open-records.ts";

let bed: ArtifactBed;

beforeEach(async () => {
  bed = await openArtifactBed();
  return () => bed.close();
});

const blobs = (): string => join(bed.store.dir, "blobs", "sha256");

async function age(path: string, days: number): Promise<void> {
  const then = Date.now() / 1000 - days * 86_400;
  await utimes(path, then, then);
}

/** A folder with a file in it that was last used so long ago. */
async function leave(path: string, days: number, bytes = 10): Promise<void> {
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "file"), "x".repeat(bytes));
  await age(path, days);
}

async function keepLog(inputs: string, text: string, days: number): Promise<string> {
  const { digest, bytes } = await bed.store.putBlob(
    (async function* () {
      yield Buffer.from(text);
    })(),
  );
  await bed.records.db.query(
    `update build set log_blob = $1, log_bytes = $2, log_tail = $3, ended_at = now() - $4 * interval '1 day' where inputs = $5`,
    [digest, bytes, text, days, inputs],
  );
  await age(join(blobs(), digest.slice("sha256:".length)), days);
  return digest;
}

function tidy(bounds: Partial<LeftoverBounds> = {}) {
  const folders = meshPaths(bed.state);
  return tidyLeftovers({ db: bed.records.db, mesh, folders, bounds, now: () => new Date() });
}

const names = async (folder: string): Promise<string[]> => (await readdir(folder)).toSorted();

describe("logs of builds", () => {
  it("go when they are old and shown nowhere; the end of them stays in the records, and mesh log says so", async () => {
    const old = await bed.build("core", { "a.txt": "one" });
    const shown = await bed.build("core", { "a.txt": "two" });
    await bed.records.db.query(`update build set started_at = now() - interval '50 days' where inputs = $1`, [
      old.inputs,
    ]);
    const gone = await keepLog(old.inputs, `${"x".repeat(9_000)} its end`, 40);
    const kept = await keepLog(shown.inputs, "the newest", 40);
    const { removed } = await tidy();
    expect(removed.map(({ kind, name }) => `${kind} ${name}`)).toEqual([`log ${gone}`]);
    expect(await names(blobs())).toContain(kept.slice(7));
    expect(await names(blobs())).not.toContain(gone.slice(7));
    const build = await getBuild(bed.records.db, mesh, "core", old.inputs);
    expect(build).toMatchObject({ logBlob: null, logTail: expect.stringMatching(/^x+ its end$/) });
    expect(build?.logTail.length).toBe(4_000);
    const said = await bed.run("log", "core", "--inputs", old.inputs);
    expect(said.stderr).toMatch(/only the end of its log/);
  });

  it("of an attempt that another one took the place of are blobs that nothing names, and go after a day", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    const first = await keepLog(core.inputs, "the first attempt", 2);
    await keepLog(core.inputs, "the second attempt", 2);
    const { removed } = await tidy();
    expect(removed.map(({ kind, name }) => `${kind} ${name}`)).toEqual([`unnamed ${first}`]);
    expect(await bed.run("artifact", "verify", "--all")).toMatchObject({ code: 0 });
  });
});

describe("an artifact store in which everything is old", () => {
  it("keeps all that an artifact is made of: bytes, manifest, config and statements", async () => {
    await bed.build("core", { "a.txt": "one" });
    for (const name of await readdir(blobs())) await age(join(blobs(), name), 99);
    expect((await tidy()).removed).toEqual([]);
    expect(await bed.run("artifact", "verify", "--all")).toMatchObject({ code: 0 });
  });

  it("loses nothing where its index does not read", async () => {
    await bed.build("core", { "a.txt": "one" });
    await writeFile(join(bed.store.dir, "index.json"), "{}");
    await expect(tidy()).rejects.toThrow();
  });
});

describe("folders", () => {
  it("of packages that were used longest ago go past the bytes; one that a build asks for is used now", async () => {
    const cache = join(meshPaths(bed.state).cache, "packages");
    await leave(join(cache, "longest"), 9, 6_000);
    await leave(join(cache, "asked-for"), 8, 6_000);
    await leave(join(cache, "lately"), 1, 6_000);
    expect(await isKept(join(cache, "asked-for"))).toBe(true);
    expect(await isKept(join(cache, "never"))).toBe(false);
    // Each is 8 KiB on disk: two of them fit.
    const { removed } = await tidy({ cacheBytes: 17_000 });
    expect(removed.map(({ name }) => name)).toEqual([join(cache, "longest")]);
    expect(await names(cache)).toEqual(["asked-for", "lately"]);
  });

  it("of clones go when nothing is registered under that name and address; of killed builds after six hours", async () => {
    await bed.build("core", { "a.txt": "one" });
    const { repositories, builds } = meshPaths(bed.state);
    const own = cloneName("examples", "file:///examples.git");
    await leave(join(repositories, own), 99);
    await leave(join(repositories, cloneName("gone", "file:///gone.git")), 2);
    await leave(join(repositories, `${own}.damaged-1`), 2);
    await leave(join(builds, "core-killed"), 1);
    await leave(join(builds, "core-under-way"), 0.1);
    const { removed } = await tidy();
    expect(removed.map(({ kind }) => kind)).toEqual(["clone", "clone", "work"]);
    expect(await names(repositories)).toEqual([own]);
    expect(await names(builds)).toEqual(["core-under-way"]);
  });
});

describe("mesh artifact gc", () => {
  it("shows what would go and why, changes nothing, and with --delete it is gone", async () => {
    await bed.build("core", { "a.txt": "one" });
    const { cache } = meshPaths(bed.state);
    await leave(join(cache, "crates", "old"), 40);
    const shown = await bed.run("artifact", "gc");
    expect(shown.stdout).toMatch(
      /left behind by builds, would be deleted\n {2}package .*crates\/old .*no build used it for 30 days/,
    );
    expect(shown.stdout).toMatch(/next: mesh artifact gc --delete/);
    expect(await names(join(cache, "crates"))).toEqual(["old"]);
    const done = await bed.run("artifact", "gc", "--delete");
    expect(done.stdout).toMatch(/left behind by builds, deleted\n {2}package /);
    expect(await names(join(cache, "crates"))).toEqual([]);
  });
});
