import { mkdir, readdir, writeFile, chmod, access } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { InputError, UnavailableError } from "../../src/core/errors.ts";
import { pickReason } from "../../src/source/ask-remote.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

async function createOrigin(): Promise<GitRepository> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  return origin;
}

async function openClone(url: string, cloneBytes?: number) {
  const folder = await createTemporaryFolder();
  return openRepository({ url, dir: join(folder, "clone.git"), ...(cloneBytes === undefined ? {} : { cloneBytes }) });
}

describe("looking at heads", () => {
  it("tells a branch that is there from one that is not", async () => {
    const origin = await createOrigin();
    const tip = await origin.commit({ a: "1" });
    const clone = await openClone(origin.dir);
    expect(await clone.lookAtHeads(["main", "gone"])).toEqual(
      new Map([
        ["main", tip],
        ["gone", null],
      ]),
    );
  });

  it("is not taken in by a longer branch that ends in the same words", async () => {
    const origin = await createOrigin();
    await origin.commit({ a: "1" });
    await origin.git("branch", "x/refs/heads/wanted");
    const clone = await openClone(origin.dir);
    expect(await clone.lookAtHeads(["wanted"])).toEqual(new Map([["wanted", null]]));
  });

  it("throws for a repository that does not answer, and names it: an error is never an empty set (R26, case 4)", async () => {
    const folder = await createTemporaryFolder();
    const clone = await openClone(join(folder, "nowhere"));
    const look = clone.lookAtHeads(["main"]);
    await expect(look).rejects.toThrow(UnavailableError);
    await expect(look).rejects.toThrow(
      /nowhere did not answer: fatal: '.*nowhere' does not appear to be a git repository$/,
    );
  });

  it.each([
    [
      "Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n",
      "Permission denied (publickey).",
    ],
    ["fatal: Could not read from remote repository.\n", "fatal: Could not read from remote repository."],
    ["a\nb\nc\n", "b c"],
    ["", ""],
  ])("says of git's words those that tell something: %j", (stderr, reason) => {
    expect(pickReason(stderr)).toBe(reason);
  });

  it.each(["$(id)", "--upload-pack=x", "a..b", "a b", "-x", "x".repeat(300), "a\u0000"])(
    "refuses the branch %j at the edge (case 52)",
    async (branch) => {
      const origin = await createOrigin();
      const clone = await openClone(origin.dir);
      await expect(clone.lookAtHeads([branch])).rejects.toThrow(InputError);
    },
  );

  it("ends when it is cancelled", async () => {
    const origin = await createOrigin();
    const folder = await createTemporaryFolder();
    const cancelled = AbortSignal.abort(new Error("enough"));
    const clone = await openRepository({ url: origin.dir, dir: join(folder, "clone.git"), signal: cancelled });
    await expect(clone.lookAtHeads(["main"])).rejects.toThrow("enough");
  });
});

describe("fetching commits", () => {
  it("brings a commit that is not the tip any more (for case 5)", async () => {
    const origin = await createOrigin();
    const first = await origin.commit({ a: "1" }, "First");
    await origin.commit({ a: "2" }, "Second");
    const clone = await openClone(origin.dir);
    await clone.fetchCommits([{ branch: "main", commit: first }]);
    expect(await clone.commitInfo(first)).toMatchObject({ id: first, subject: "First" });
  });

  it("says that a commit is gone after a forced push (case 4)", async () => {
    const origin = await createOrigin();
    await origin.commit({ a: "1" });
    const clone = await openClone(origin.dir);
    const gone = "1234567890123456789012345678901234567890";
    await expect(clone.fetchCommits([{ branch: "main", commit: gone }])).rejects.toThrow(UnavailableError);
  });

  it("asks the remote for nothing that is here already", async () => {
    const origin = await createOrigin();
    const tip = await origin.commit({ a: "1" });
    const clone = await openClone(origin.dir);
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    await origin.remove();
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    expect(await clone.hasObject(tip)).toBe(true);
  });

  it("lets twenty comparisons fetch at once", async () => {
    const origin = await createOrigin();
    const commits: string[] = [];
    for (let at = 0; at < 4; at += 1) commits.push(await origin.commit({ a: String(at) }));
    const clone = await openClone(origin.dir);
    const fetches = Array.from({ length: 20 }, (_, at) => {
      const commit = commits[at % commits.length];
      if (commit === undefined) throw new Error("no commit");
      return clone.fetchCommits([{ branch: "main", commit }]);
    });
    await Promise.all(fetches);
    for (const commit of commits) expect(await clone.hasObject(commit)).toBe(true);
  });

  it("stops at a size limit and says which (case 54)", async () => {
    const origin = await createOrigin();
    const tip = await origin.commit({ a: "1" });
    const clone = await openClone(origin.dir, 1);
    await expect(clone.fetchCommits([{ branch: "main", commit: tip }])).rejects.toThrow(
      /larger than the limit of 1 bytes/,
    );
  });
});

describe("what a repository brings does not run (case 54)", () => {
  it("makes a clone without hooks", async () => {
    const origin = await createOrigin();
    const clone = await openClone(origin.dir);
    expect(await readdir(clone.dir)).not.toContain("hooks");
  });

  it("runs no hook and no monitor even when somebody puts one into the clone", async () => {
    const origin = await createOrigin();
    const tip = await origin.commit({ a: "1" });
    const clone = await openClone(origin.dir);
    const mark = join(clone.dir, "ran");
    await mkdir(join(clone.dir, "hooks"));
    const script = `#!/bin/sh\ntouch ${mark}\n`;
    for (const hook of ["reference-transaction", "post-checkout", "post-merge", "update"]) {
      await writeFile(join(clone.dir, "hooks", hook), script);
      await chmod(join(clone.dir, "hooks", hook), 0o755);
    }
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    await expect(access(mark)).rejects.toThrow("ENOENT");
  });

  it("shows a commit's subject as plain text of at most 200 characters (case 52)", async () => {
    const origin = await createOrigin();
    const subject = `\u001b[31m"red" <script>\u202e${"x".repeat(1_000_000)}`;
    await writeFile(join(origin.dir, "message"), subject);
    await origin.git("commit", "--quiet", "--allow-empty", "--file=message", "--cleanup=verbatim");
    const tip = await origin.git("rev-parse", "HEAD");
    const clone = await openClone(origin.dir);
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    const info = await clone.commitInfo(tip);
    expect(info.subject.length).toBeLessThanOrEqual(200);
    expect(info.subject).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(info.subject).toContain('"red" <script>');
    expect(info.at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it.each([
    [253_402_300_799, "9999-12-31T23:59:59.000Z"],
    [253_402_300_800, "1970-01-01T00:00:00.000Z"],
    [7_999_999_999_999, "1970-01-01T00:00:00.000Z"],
  ])("says no time that the records do not know, of a commit of second %d (case 52)", async (seconds, at) => {
    const origin = await createOrigin();
    const tree = await origin.git("write-tree");
    const who = `A <a@example.org> ${seconds} +0000`;
    await writeFile(join(origin.dir, "late"), `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nLate\n`);
    const late = await origin.git("hash-object", "-t", "commit", "-w", "late");
    await origin.git("update-ref", "refs/heads/main", late);
    const clone = await openClone(origin.dir);
    await clone.fetchCommits([{ branch: "main", commit: late }]);
    expect(await clone.commitInfo(late)).toEqual({ id: late, at, subject: "Late" });
  });
});
