import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openRepository } from "../../src/source/open-repository.ts";
import { describeUnsafePath, readTree, treeLimits } from "../../src/source/read-tree.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

async function createOrigin(): Promise<GitRepository> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  return origin;
}

async function read(origin: GitRepository, commit: string, path: string, limits = treeLimits) {
  const folder = await createTemporaryFolder();
  const repository = await openRepository({ url: origin.dir, dir: join(folder, "clone.git") });
  await repository.fetchCommits([{ branch: "main", commit }]);
  return readTree({ repository, commit, path, without: [], limits });
}

describe("the tree of a module", () => {
  it("is the tree under its path: a commit elsewhere leaves it as it is (R8, case 8)", async () => {
    const origin = await createOrigin();
    const before = await read(origin, await origin.commit({ "app/a.txt": "1", README: "1" }), "app");
    const after = await read(origin, await origin.commit({ README: "2" }), "app");
    expect(JSON.stringify(before)).toBe(JSON.stringify(after));
    expect(before).toMatchObject({ kind: "tree", files: [{ path: "a.txt", mode: "644", bytes: 1 }] });
  });

  it("keeps what is executable", async () => {
    const origin = await createOrigin();
    await origin.commit({ "app/run.sh": "#!/bin/sh\n" });
    await origin.makeExecutable("app/run.sh");
    expect(await read(origin, await origin.commit({}), "app")).toMatchObject({
      files: [{ path: "run.sh", mode: "755" }],
    });
  });

  it("may be the whole repository", async () => {
    const origin = await createOrigin();
    expect(await read(origin, await origin.commit({ "a/b.txt": "1" }), ".")).toMatchObject({
      files: [{ path: "a/b.txt" }],
    });
  });

  it.each(["gone", "app/a.txt"])("says that there is no folder %s", async (path) => {
    const origin = await createOrigin();
    const reading = await read(origin, await origin.commit({ "app/a.txt": "1" }), path);
    expect(reading).toMatchObject({ kind: "missing" });
  });
});

describe("a hostile tree (case 54)", () => {
  it("has its links and submodules named, and not followed", async () => {
    const origin = await createOrigin();
    await origin.commit({ "app/a.txt": "1" });
    await origin.link("app/out", "../../../../etc/passwd");
    const commit = await origin.git("rev-parse", "HEAD");
    await origin.git("update-index", "--add", "--cacheinfo", `160000,${commit},app/sub`);
    await origin.git("add", "app/out");
    await origin.git("commit", "--quiet", "--message=Hostile");
    const reading = await read(origin, await origin.git("rev-parse", "HEAD"), "app");
    expect(reading).toMatchObject({ kind: "tree", files: [{ path: "a.txt" }] });
    const findings = reading.kind === "tree" ? reading.findings : [];
    expect(findings.map((finding) => [finding.severity, finding.file])).toEqual([
      ["error", "out"],
      ["error", "sub"],
    ]);
  });

  it.each([
    [{ files: 2, bytes: 1000, depth: 40 }, /more than 2 files/],
    [{ files: 100, bytes: 2, depth: 40 }, /more than 2 bytes/],
    [{ files: 100, bytes: 1000, depth: 3 }, /deeper than 3/],
  ])("is stopped by the limits %j, which are said", async (limits, why) => {
    const origin = await createOrigin();
    const commit = await origin.commit({ "app/1": "1", "app/2": "2", "app/3": "3", "app/a/b/c/d": "4" });
    const reading = await read(origin, commit, "app", limits);
    expect(reading.kind).toBe("refused");
    expect(reading.kind === "refused" ? reading.why : "").toMatch(why);
  });

  it("is refused when git was made to hold a path that leaves its folder", async () => {
    const origin = await createOrigin();
    await writeFile(join(origin.dir, "x"), "x");
    const blob = await origin.git("hash-object", "-w", "x");
    // git's own tools refuse to write such a tree: made by hand, as an attacker does.
    await writeFile(join(origin.dir, "entries"), Buffer.concat([Buffer.from("100644 ..\0"), Buffer.from(blob, "hex")]));
    const inner = await origin.git("hash-object", "-w", "-t", "tree", "--literally", "entries");
    await writeFile(join(origin.dir, "outer"), Buffer.concat([Buffer.from("40000 app\0"), Buffer.from(inner, "hex")]));
    const outer = await origin.git("hash-object", "-w", "-t", "tree", "--literally", "outer");
    const commit = await origin.git("commit-tree", "-m", "hostile", outer);
    await origin.git("update-ref", "refs/heads/main", commit);
    expect(await read(origin, commit, "app")).toMatchObject({ kind: "refused" });
  });

  it.each([
    "../a",
    "a/../b",
    "./a",
    "a//b",
    "/a",
    "a\\b",
    "a\u0000b",
    "a\nb",
    ".git/config",
    "a/.GIT/x",
    ".git./x",
    "git~1/x",
    "x".repeat(300),
  ])("does not have the path %j", (path) => {
    expect(describeUnsafePath(path, 40)).not.toBeNull();
  });

  it.each(["a", "a/b.c/d", ".gitignore", "gite", "src/x.test.ts", "ünïcode/✓"])("may have the path %j", (path) => {
    expect(describeUnsafePath(path, 40)).toBeNull();
  });
});
