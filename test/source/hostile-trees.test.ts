import { open, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { compareSources, headKey } from "../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import { readTree, readTrees } from "../../src/source/read-tree.ts";
import type { Repository } from "../../src/source/repository.ts";
import type { SourceFacts } from "../../src/source/source-facts.ts";
import {
  commitTree,
  createGitRepository,
  type GitRepository,
  hashObject,
  writeTree,
} from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const timeout = 120_000;

interface Bed {
  readonly origin: GitRepository;
  /** The folder that holds the clone, and must hold nothing else. */
  readonly folder: string;
  readonly repository: Repository;
  /** The good module's tree, as git names it. */
  readonly good: string;
  blob(text: string): Promise<string>;
  /** A commit of the good module and of `evil`, a tree. */
  commitWith(evil: string): Promise<string>;
  compare(commit: string): Promise<Record<"evil" | "good", SourceFacts>>;
}

async function createBed(): Promise<Bed> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const folder = await createTemporaryFolder();
  const repository = await openRepository({ url: origin.dir, dir: join(folder, "clone.git") });
  const blob = (text: string): Promise<string> => hashObject(origin, "blob", Buffer.from(text));
  const good = await writeTree(origin, [
    { mode: "100644", name: "mesh.yaml", id: await blob("module: good\nlanguage: files\n") },
  ]);
  const modules = ["evil", "good"].map((module) => ({ module, repository: "shop", branch: "main", path: module }));
  return {
    origin,
    folder,
    repository,
    good,
    blob,
    commitWith: async (evil) =>
      await commitTree(
        origin,
        await writeTree(origin, [
          { mode: "40000", name: "evil", id: evil },
          { mode: "40000", name: "good", id: good },
        ]),
      ),
    async compare(commit) {
      const { modules: facts } = await compareSources({
        modules,
        repositories: new Map([["shop", repository]]),
        heads: new Map([[headKey("shop", "main"), commit]]),
        cache: createMemoryImportCache(),
      });
      const [evil, second] = facts;
      if (evil === undefined || second === undefined) throw new Error("both modules were asked for");
      return { evil, good: second };
    },
  };
}

/** Its limit is said of the hostile module alone; the clone is all that was written; and the next commit is as any. */
async function expectContained(bed: Bed, commit: string, problem: RegExp | null): Promise<SourceFacts> {
  const { evil, good } = await bed.compare(commit);
  if (problem === null) expect(evil.problem).toBeNull();
  else expect(evil.problem?.message).toMatch(problem);
  expect(good).toMatchObject({ tree: bed.good, problem: null, findings: [] });
  expect(await readdir(bed.folder)).toEqual(["clone.git"]);
  const mended = await bed.compare(await bed.commitWith(await mendedTree(bed)));
  expect(mended.evil).toMatchObject({ problem: null, findings: [] });
  expect(mended.good).toMatchObject({ tree: bed.good, problem: null });
  return evil;
}

async function mendedTree(bed: Bed): Promise<string> {
  const id = await bed.blob("module: evil\nlanguage: files\n");
  return await writeTree(bed.origin, [{ mode: "100644", name: "mesh.yaml", id }]);
}

/** `folders` of `folders` … of `files`, `levels` deep: a few hundred bytes, however many files. */
async function createBomb(bed: Bed, width: number, levels: number): Promise<string> {
  const blob = await bed.blob("x");
  const names = Array.from({ length: width }, (_, at) => `n${at}`);
  let tree = await writeTree(
    bed.origin,
    names.map((name) => ({ mode: "100644", name, id: blob })),
  );
  for (let level = 1; level < levels; level += 1) {
    const id = tree;
    tree = await writeTree(
      bed.origin,
      names.map((name) => ({ mode: "40000", name, id })),
    );
  }
  return tree;
}

describe("a hostile tree, compared beside a module that is well (case 54)", () => {
  it.each([
    ["a million files", 100, 3],
    ["a thousand million million files", 1000, 5],
  ])("of %s is refused at the limit on files, in little memory", { timeout }, async (_what, width, levels) => {
    const bed = await createBed();
    const commit = await bed.commitWith(await createBomb(bed, width, levels));
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    }, 10);
    onTestFinished(() => clearInterval(timer));
    const evil = await expectContained(bed, commit, /folder evil of .* is refused: more than 20000 files/);
    expect(most).toBeLessThan(400 * 1024 ** 2);
    expect(evil).toMatchObject({ tree: null, edges: [] });
  });

  it("beside the modules of its repository is not listed for them", { timeout }, async () => {
    const bed = await createBed();
    const bomb = await createBomb(bed, 1000, 5);
    const commit = await commitTree(
      bed.origin,
      await writeTree(bed.origin, [
        { mode: "40000", name: "beside", id: bomb },
        { mode: "40000", name: "evil", id: await mendedTree(bed) },
        { mode: "40000", name: "good", id: bed.good },
      ]),
    );
    await expectContained(bed, commit, null);
  });

  it("that uses a listing up leaves to each other folder a listing of its own", { timeout }, async () => {
    const bed = await createBed();
    const commit = await bed.commitWith(await createBomb(bed, 10, 3));
    await bed.repository.fetchCommits([{ branch: "main", commit }]);
    const folders = ["evil", "good", "."].map((path) => ({ path, without: [] }));
    const readings = await readTrees({ repository: bed.repository, commit, folders, entryLimit: 500 });
    expect(readings.map((reading) => (reading.kind === "refused" ? reading.why : reading.kind))).toEqual([
      expect.stringMatching(/folder evil .*: listing it takes more than 500 files and folders/),
      "tree",
      expect.stringMatching(/folder \. .*: listing it takes more than 500 files and folders/),
    ]);
  });

  it("of one huge file is refused by its size, unread", { timeout }, async () => {
    const bed = await createBed();
    const path = join(bed.origin.dir, ".git", "huge");
    const file = await open(path, "w");
    await file.truncate(513 * 1024 ** 2);
    await file.close();
    const id = await bed.origin.git("hash-object", "-w", "--no-filters", path);
    const commit = await bed.commitWith(await writeTree(bed.origin, [{ mode: "100644", name: "huge", id }]));
    await expectContained(bed, commit, /refused: more than 536870912 bytes of files/);
  });

  it("as deep as nobody's is refused at the limit on depth", { timeout }, async () => {
    const bed = await createBed();
    let id = await bed.blob("x");
    for (let level = 0; level < 5_000; level += 1)
      id = await writeTree(bed.origin, [{ mode: level === 0 ? "100644" : "40000", name: "d", id }]);
    await expectContained(bed, await bed.commitWith(id), /refused: .*deeper than 40 folders/);
  });

  it("with two files of one name is refused: git reads what it would not write", { timeout }, async () => {
    const bed = await createBed();
    const [one, two] = [await bed.blob("one"), await bed.blob("two")];
    const same = [one, two].map((id) => ({ mode: "100644" as const, name: "same", id }));
    const commit = await bed.commitWith(await writeTree(bed.origin, same));
    await expectContained(bed, commit, /folder evil of .* is refused: "same": there are two of that name/);
  });

  it.each([
    ["a control character", "a\u001b[31mb"],
    ["a line end", "a\nmesh.yaml"],
    ["what is no UTF-8", Buffer.from("caf\u00e9", "latin1")],
    ["a way out", ".."],
    ["a repository of its own", ".git"],
    ["a backslash", "a\\..\\b"],
  ])(
    "with %s in a name, of a file or a folder, is refused, and it is said harmlessly",
    { timeout },
    async (_, name) => {
      const bed = await createBed();
      const id = await bed.blob("x");
      const inner = await writeTree(bed.origin, [{ mode: "100644", name: "x", id }]);
      // The folder first: what lay in a module is asked for together with its next tree, which is new then.
      for (const part of [{ mode: "40000", name, id: inner } as const, { mode: "100644", name, id } as const]) {
        const commit = await bed.commitWith(await writeTree(bed.origin, [part]));
        const evil = await expectContained(bed, commit, /folder evil of .* is refused: "/);
        expect(evil.problem?.message).not.toMatch(/\p{Cc}/u);
      }
    },
  );

  it.each(["120000", "160000"] as const)(
    "whose manifest and lock file are of mode %s has neither, and says why",
    { timeout },
    async (mode) => {
      const bed = await createBed();
      const id = await bed.blob("/etc/passwd");
      const tree = await writeTree(bed.origin, [
        { mode, name: "mesh.yaml", id },
        { mode, name: "package-lock.json", id },
      ]);
      const why = /mesh\.yaml in folder evil: a (symbolic link|submodule): modules hold files only/;
      const evil = await expectContained(bed, await bed.commitWith(tree), why);
      expect(evil.findings.map(({ severity, file, message }) => `${severity} ${file}: ${message}`)).toEqual(
        ["mesh.yaml", "package-lock.json"].map((file) =>
          expect.stringMatching(new RegExp(`^error ${file}: a (symbolic link|submodule): modules hold files only`)),
        ),
      );
    },
  );

  it.each([
    ["files", null],
    ["typescript", null],
    ["go", /go\.mod: there is none/],
    ["python", /pyproject\.toml: there is none/],
    ["rust", /Cargo\.toml: there is none/],
  ])(
    "with folders named as the manifest, lock and fact files of %s has only folders",
    { timeout },
    async (language, problem) => {
      const bed = await createBed();
      const x = await bed.blob("x");
      const inner = await writeTree(bed.origin, [{ mode: "100644", name: "x", id: x }]);
      const names = [
        "package.json",
        "package-lock.json",
        "go.mod",
        "go.sum",
        "pyproject.toml",
        "Cargo.toml",
        "Cargo.lock",
      ];
      const folders = names.map((name) => ({ mode: "40000" as const, name, id: inner }));
      const manifest = await bed.blob(`module: evil\nlanguage: ${language}\n`);
      const tree = await writeTree(bed.origin, [...folders, { mode: "100644", name: "mesh.yaml", id: manifest }]);
      const evil = await expectContained(bed, await bed.commitWith(tree), problem);
      expect(evil).toMatchObject({ thirdParties: null, edges: [] });
      const without = await writeTree(bed.origin, [...folders, { mode: "40000", name: "mesh.yaml", id: inner }]);
      await expectContained(bed, await bed.commitWith(without), /there is no mesh\.yaml in folder evil/);
    },
  );

  it(
    "with filters, hooks and a large-file pointer gives the bytes as they are and runs nothing",
    { timeout },
    async () => {
      const bed = await createBed();
      const mark = join(bed.origin.dir, ".git", "it-ran");
      const command = `touch ${mark}`;
      for (const kind of ["smudge", "clean", "process"]) await bed.origin.git("config", `filter.evil.${kind}`, command);
      for (const hook of ["post-checkout", "post-merge", "post-update", "pre-auto-gc"])
        await writeFile(join(bed.origin.dir, ".git", "hooks", hook), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
      const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 99\n`;
      const hooks = await writeTree(bed.origin, [
        { mode: "100755", name: "post-checkout", id: await bed.blob(command) },
      ]);
      const tree = await writeTree(bed.origin, [
        {
          mode: "100644",
          name: ".gitattributes",
          id: await bed.blob("* filter=evil ident text eol=crlf\n*.bin filter=lfs\n"),
        },
        {
          mode: "100644",
          name: ".gitmodules",
          id: await bed.blob(`[submodule "a"]\n\tpath = a\n\turl = ext::${command}\n`),
        },
        { mode: "100644", name: ".lfsconfig", id: await bed.blob("[lfs]\n\turl = https://192.0.2.1/\n") },
        { mode: "40000", name: "hooks", id: hooks },
        { mode: "100644", name: "large.bin", id: await bed.blob(pointer) },
        { mode: "100644", name: "mesh.yaml", id: await bed.blob("module: evil\nlanguage: files\n") },
      ]);
      const commit = await bed.commitWith(tree);
      // The repository's own settings are its owner's: what we do must not run them.
      const evil = await expectContained(bed, commit, null);
      expect(evil.tree).toBe(tree);
      const reading = await readTree({ repository: bed.repository, commit, path: "evil", without: [] });
      const large = reading.kind === "tree" ? reading.files.find((file) => file.path === "large.bin") : undefined;
      for await (const { bytes } of bed.repository.readBlobs([large?.blob ?? ""]))
        expect(bytes.toString()).toBe(pointer);
      expect(await readdir(join(bed.origin.dir, ".git"))).not.toContain("it-ran");
    },
  );
});
