import { chmod, mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRepositoryPool } from "../../src/activities/repository-pool.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import type { Repository } from "../../src/source/repository.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

async function createOrigin(): Promise<GitRepository> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  return origin;
}

async function openFetched() {
  const origin = await createOrigin();
  const tip = await origin.commit({ "app/a": "1", "app/b": "2" });
  const said: string[] = [];
  const dir = join(await createTemporaryFolder(), "clone.git");
  const clone = await openRepository({ url: origin.dir, dir, onDamaged: async (why) => void said.push(why) });
  await clone.fetchCommits([{ branch: "main", commit: tip }]);
  return { origin, tip, dir, clone, said };
}

async function readAll(clone: Repository, commit: string): Promise<string[]> {
  await clone.fetchCommits([{ branch: "main", commit }]);
  const tree = await clone.treeAt(commit, "app");
  if (tree === null) throw new Error("there is no folder app");
  const blobs: string[] = [];
  for await (const some of clone.listTree(tree, 100)) blobs.push(...some.map(({ id }) => id));
  const texts: string[] = [];
  for await (const { bytes } of clone.readBlobs(blobs)) texts.push(bytes.toString());
  return texts;
}

const damages: [string, (dir: string) => Promise<void>][] = [
  [
    "its packs were lost",
    (dir) => rm(join(dir, "objects"), { recursive: true }).then(() => mkdir(join(dir, "objects"))),
  ],
  [
    "bytes of a pack changed",
    async (dir) => {
      const folder = join(dir, "objects", "pack");
      for (const name of await readdir(folder)) {
        if (!name.endsWith(".pack")) continue;
        await chmod(join(folder, name), 0o644);
        const { size } = await stat(join(folder, name));
        await writeFile(join(folder, name), Buffer.alloc(size, 7));
      }
    },
  ],
  [
    "a pack was cut short",
    async (dir) => {
      const folder = join(dir, "objects", "pack");
      for (const name of await readdir(folder)) {
        await chmod(join(folder, name), 0o644);
        if (name.endsWith(".pack")) await writeFile(join(folder, name), "");
      }
    },
  ],
  ["its HEAD is gone", (dir) => rm(join(dir, "HEAD"))],
  ["the whole folder is gone", (dir) => rm(dir, { recursive: true })],
];

describe("a clone that was damaged on disk (case 4)", () => {
  it.each(damages)("heals by itself within two more looks: %s", async (_what, damage) => {
    const { clone, tip, dir } = await openFetched();
    expect(await readAll(clone, tip)).toEqual(["1", "2"]);
    await damage(dir);
    let texts: string[] = [];
    for (let look = 0; look < 3 && texts.length === 0; look += 1) {
      try {
        texts = await readAll(clone, tip);
      } catch (error) {
        // Said as what it is: nothing is known now. Never an empty answer (R26).
        expect(error).toBeInstanceOf(UnavailableError);
      }
    }
    expect(texts).toEqual(["1", "2"]);
  });

  it("says that it was thrown away, and why (R33)", async () => {
    const { clone, tip, dir, said } = await openFetched();
    await damages[2]?.[1](dir);
    await readAll(clone, tip).catch(() => undefined);
    await readAll(clone, tip);
    expect(said.length).toBeGreaterThan(0);
    for (const why of said) expect(why).toMatch(/clone|git/);
  });
});

describe("locks of another process that fetches into the same clone", () => {
  it("are waited for while they are young, and removed when no fetch can be that old", async () => {
    const { origin, clone, dir } = await openFetched();
    const next = await origin.commit({ "app/a": "3" });
    const lock = join(dir, "shallow.lock");
    await writeFile(lock, "");
    const released = new Promise<void>((resolve) => {
      setTimeout(() => void rm(lock).then(resolve), 500);
    });
    await clone.fetchCommits([{ branch: "main", commit: next }]);
    await released;
    const last = await origin.commit({ "app/a": "4" });
    await writeFile(lock, "");
    await utimes(lock, new Date(0), new Date(0));
    await clone.fetchCommits([{ branch: "main", commit: last }]);
    expect(await clone.hasObject(last)).toBe(true);
  });
});

describe("the clone of a busy repository", () => {
  it("stays small in packs, and keeps what is still asked for", { timeout: 120_000 }, async () => {
    const { origin, clone, dir, tip } = await openFetched();
    for (let at = 0; at < 55; at += 1) {
      const commit = await origin.commit({ "app/a": `text ${at}` });
      await clone.fetchCommits([{ branch: "main", commit }]);
    }
    const packs = (await readdir(join(dir, "objects", "pack"))).filter((name) => name.endsWith(".pack"));
    expect(packs.length).toBeLessThanOrEqual(10);
    expect(await readAll(clone, tip)).toEqual(["1", "2"]);
  });
});

describe("a repository that moved to another address", () => {
  it("is cloned anew: nothing of the old origin is taken for the new one's", async () => {
    const [before, after] = [await createOrigin(), await createOrigin()];
    const old = await before.commit({ a: "1" });
    await after.commit({ a: "2" });
    const folder = await createTemporaryFolder();
    const pool = createRepositoryPool(folder);
    const first = await pool.open({ name: "shop", url: before.dir });
    await first.fetchCommits([{ branch: "main", commit: old }]);
    const second = await pool.open({ name: "shop", url: after.dir });
    expect(await second.hasObject(old)).toBe(false);
    await expect(second.fetchCommits([{ branch: "main", commit: old }])).rejects.toThrow(/has no commit/);
    expect(await readdir(folder)).toHaveLength(1);
  });
});
