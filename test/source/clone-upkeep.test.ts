import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import { openRepository, type OpenRepository } from "../../src/source/open-repository.ts";
import type { Repository } from "../../src/source/repository.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

async function createOrigin(): Promise<GitRepository> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  return origin;
}

async function openClone(url: string, options: Partial<OpenRepository> = {}): Promise<Repository> {
  return openRepository({ url, dir: join(await createTemporaryFolder(), "clone.git"), ...options });
}

const packs = (clone: Repository): string => join(clone.dir, "objects", "pack");

/** A git that does what the script says where it is to repack; `runs`: how often it was. */
const stubRepack = (script: (folder: string) => string) => stubGit("repack", script);

async function stubGit(verb: string, script: (folder: string) => string) {
  const folder = await createTemporaryFolder();
  const { stdout } = await promisify(execFile)("sh", ["-c", "command -v git"]);
  const log = join(folder, "runs");
  await writeFile(log, "");
  const text = `#!/bin/sh\ncase " $* " in *" ${verb} "*) echo run >>'${log}'\n${script(folder)};; esac\nexec ${stdout.trim()} "$@"\n`;
  await writeFile(join(folder, "git"), text);
  await chmod(join(folder, "git"), 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"] ?? ""}`);
  return { folder, runs: async () => (await readFile(log, "utf8")).split("\n").length - 1 };
}

/** Git passes over a pack without an index; they count as packs all the same. */
async function addManyPacks(clone: Repository): Promise<void> {
  await mkdir(packs(clone), { recursive: true });
  for (let at = 0; at < 60; at += 1) await writeFile(join(packs(clone), `pack-${at}.pack`), "");
}

describe("a clone that is made smaller after a fetch", () => {
  it("keeps nobody waiting for what came: neither whoever fetched nor whoever asks for it again (R33)", async () => {
    const origin = await createOrigin();
    const tip = await origin.commit({ a: "1" });
    const git = await stubRepack((folder) => `while [ ! -e '${folder}/go' ]; do sleep 0.05; done`);
    const failed: unknown[] = [];
    const clone = await openClone(origin.dir, { onUntidy: (error) => failed.push(error) });
    await addManyPacks(clone);
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    await vi.waitFor(async () => expect(await git.runs()).toBe(1));
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    const next = await origin.commit({ a: "2" });
    // It waits for the repack, as the two would be in each other's way.
    const after = clone.fetchCommits([{ branch: "main", commit: next }]);
    await writeFile(join(git.folder, "go"), "");
    await after;
    expect(await clone.hasObject(next)).toBe(true);
    expect(failed).toEqual([]);
  });

  it("and cannot be has its commits all the same; that is said, and not tried again at each fetch (R33)", async () => {
    const origin = await createOrigin();
    const git = await stubRepack(() => `echo 'fatal: write error: No space left on device' >&2; exit 128`);
    const failed: unknown[] = [];
    const clone = await openClone(origin.dir, { onUntidy: (error) => failed.push(error) });
    await addManyPacks(clone);
    for (const text of ["1", "2"]) {
      const commit = await origin.commit({ a: text });
      await clone.fetchCommits([{ branch: "main", commit }]);
      expect(await clone.hasObject(commit)).toBe(true);
    }
    await vi.waitFor(() => expect(failed).toHaveLength(1));
    expect(String(failed[0])).toMatch(
      /the clone .* of repository .* has more than 50 packs, which could not be made one: .*No space left/,
    );
    expect(await git.runs()).toBe(1);
  });

  it("is the affair of whoever fetched where nobody else is told: one source's error, not everybody's (R26)", async () => {
    const origin = await createOrigin();
    const tip = await origin.commit({ a: "1" });
    await stubRepack(() => `echo 'fatal: write error: No space left on device' >&2; exit 128`);
    const clone = await openClone(origin.dir);
    await addManyPacks(clone);
    await expect(clone.fetchCommits([{ branch: "main", commit: tip }])).rejects.toThrow(UnavailableError);
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
  });
});

describe("a clone that is over its limit (case 54)", () => {
  const limit = 100_000;
  const leftOver = (clone: Repository): string => join(packs(clone), "tmp_pack_cut0ff");

  it("is rid of what fetches that were killed long ago left in it, and keeps what another one may be writing", async () => {
    const origin = await createOrigin();
    const tip = await origin.commit({ a: "1" });
    const clone = await openClone(origin.dir, { cloneBytes: limit });
    await mkdir(packs(clone), { recursive: true });
    await writeFile(leftOver(clone), Buffer.alloc(limit + 1));
    await utimes(leftOver(clone), new Date(0), new Date(0));
    await writeFile(join(packs(clone), "tmp_pack_y0ung"), "x");
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    const left = await readdir(packs(clone));
    expect(left).not.toContain("tmp_pack_cut0ff");
    expect(left).toContain("tmp_pack_y0ung");
  });

  it("gives what is here", async () => {
    const origin = await createOrigin();
    const tip = await origin.commit({ a: "1" });
    const clone = await openClone(origin.dir, { cloneBytes: limit });
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    await writeFile(leftOver(clone), Buffer.alloc(limit + 1));
    await origin.remove();
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
  });

  it("is begun anew for a commit that fits, before its source is said to be too large", async () => {
    const origin = await createOrigin();
    const clone = await openClone(origin.dir, { cloneBytes: limit });
    await clone.fetchCommits([{ branch: "main", commit: await origin.commit({ a: "1" }) }]);
    await writeFile(join(packs(clone), "pack-of-before.pack"), Buffer.alloc(limit + 1));
    const next = await origin.commit({ a: "2" });
    await clone.fetchCommits([{ branch: "main", commit: next }]);
    expect(await clone.hasObject(next)).toBe(true);
    expect(await readdir(packs(clone))).not.toContain("pack-of-before.pack");
    // Once: what fits one by one and not together would be fetched at each look, for ever.
    await writeFile(join(packs(clone), "pack-of-before.pack"), Buffer.alloc(limit + 1));
    const last = await origin.commit({ a: "3" });
    await expect(clone.fetchCommits([{ branch: "main", commit: last }])).rejects.toThrow(/larger than the limit/);
    await clone.fetchCommits([{ branch: "main", commit: next }]);
  });

  it("because of one commit alone keeps nothing of it, and does not fetch it again", async () => {
    const origin = await createOrigin();
    const tip = await origin.commit({ a: "1" });
    const clone = await openClone(origin.dir, { cloneBytes: 1 });
    const ask = () => clone.fetchCommits([{ branch: "main", commit: tip }]);
    await expect(ask()).rejects.toThrow(/larger than the limit of 1 bytes/);
    expect(await clone.hasObject(tip)).toBe(false);
    await origin.remove();
    await expect(ask()).rejects.toThrow(/larger than the limit of 1 bytes/);
  });

  it.each([
    ["was stopped for its size", 'head -c 200000 /dev/zero >"$pack/tmp_pack_0wn"; sleep 600'],
    ["came to its end", ""],
  ])("through one branch leaves the others their room, where its fetch %s", async (_how, instead) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const origin = await createOrigin();
    const clone = await openClone(origin.dir, { cloneBytes: limit });
    const ask = (branch: string, commit: string) => clone.fetchCommits([{ branch, commit }]);
    const growHuge = async () => {
      await origin.git("checkout", "--quiet", "-B", "huge");
      const commit = await origin.commit({ large: randomBytes(limit * 2).toString("base64") });
      await origin.git("checkout", "--quiet", "main");
      return commit;
    };
    const first = await origin.commit({ a: "1" });
    await ask("main", first);
    await expect(ask("huge", await growHuge())).rejects.toThrow(/larger than the limit/);
    await ask("main", first);
    const beforeHuge = (await readdir(packs(clone))).toSorted();
    const huge = await growHuge();
    const { runs } = await stubGit(
      "fetch",
      () => `pack='${packs(clone)}'; case "$*" in *${huge}*) ${instead === "" ? ":" : instead};; esac`,
    );
    // Another commit of it is tried after ten minutes; not so long that what a fetch left would be removed for its age.
    vi.setSystemTime(Date.now() + 630_000);
    await expect(ask("huge", huge)).rejects.toThrow(/larger than the limit/);
    expect((await readdir(packs(clone))).toSorted()).toEqual(beforeHuge);
    const next = await origin.commit({ a: "2" });
    await ask("main", next);
    expect([await clone.hasObject(first), await clone.hasObject(next)]).toEqual([true, true]);
    const tries = await runs();
    await expect(ask("huge", huge)).rejects.toThrow(/larger than the limit/);
    vi.setSystemTime(Date.now() + 630_000);
    await expect(ask("huge", huge)).rejects.toThrow(/larger than the limit/);
    expect(await runs()).toBe(tries);
    // Nobody has seen yet that it is too large by itself.
    vi.setSystemTime(Date.now() + 3_600_000);
    await expect(ask("huge", huge)).rejects.toThrow(/larger than the limit/);
    expect(await runs()).toBe(tries + 2);
  });
});
