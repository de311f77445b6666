import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { compareSources, type Comparison, headKey } from "../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import { createSourceMemory } from "../../src/source/source-memory.ts";
import type { KnownSource } from "../../src/core/known-source.ts";
import {
  commitTree,
  createGitRepository,
  type GitRepository,
  hashObject,
  writeTree,
} from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** More than 64 MiB of names: of a folder as large as that no tree is held in memory. */
const names = 1_750_000;

/** Every name is of the same bytes, so this is all that the folder costs. Folders are sorted behind them: they begin with z. */
async function commitHuge(origin: GitRepository, text: string): Promise<string> {
  const blob = Buffer.from(await hashObject(origin, "blob", Buffer.from("x")), "hex");
  const mesh = await hashObject(origin, "blob", Buffer.from(`module: zapp\nlanguage: files\n# ${text}\n`));
  const inner = await writeTree(origin, [{ mode: "100644", name: "mesh.yaml", id: mesh }]);
  const entry = Buffer.concat([Buffer.from("100644 n0000000000\0"), blob]);
  const parts = Buffer.alloc(names * entry.length, entry);
  for (let at = 0; at < names; at += 1) parts.write(String(at).padStart(10, "0"), at * entry.length + 8, "latin1");
  const last = [Buffer.from("40000 zapp\0"), Buffer.from(inner, "hex")];
  return commitTree(origin, await hashObject(origin, "tree", Buffer.concat([parts, ...last])));
}

it(
  "a repository with 1.7 million names in one folder stops neither others nor its own modules (case 54)",
  { timeout: 240_000 },
  async () => {
    const folder = await createTemporaryFolder();
    const [huge, small] = [await createGitRepository(), await createGitRepository()];
    onTestFinished(async () => {
      await huge.remove();
      await small.remove();
    });
    const repositories = new Map([
      ["huge", await openRepository({ url: huge.dir, dir: join(folder, "huge.git") })],
      ["small", await openRepository({ url: small.dir, dir: join(folder, "small.git") })],
    ]);
    const modules = [
      { module: "zapp", repository: "huge", branch: "main", path: "zapp" },
      { module: "good", repository: "small", branch: "main", path: "good" },
    ];
    const [memory, cache] = [createSourceMemory(), createMemoryImportCache()];
    const known = new Map<string, KnownSource>();
    const good = await small.commit({ "good/mesh.yaml": "module: good\nlanguage: files\n" });
    const compare = async (commit: string): Promise<Comparison> => {
      const heads = new Map([
        [headKey("huge", "main"), commit],
        [headKey("small", "main"), good],
      ]);
      const compared = await compareSources({ modules, repositories, heads, cache, memory, known: new Map(known) });
      for (const facts of compared.modules) if (facts.known !== null) known.set(facts.module, facts.known);
      return compared;
    };
    const first = await compare(await commitHuge(huge, "one"));
    expect(first.modules.map(({ module, problem }) => [module, problem])).toEqual([
      ["zapp", null],
      ["good", null],
    ]);
    // Of the next commit it is asked what differs in the folders above the modules.
    const next = await commitHuge(huge, "two");
    const second = await compare(next);
    expect(second.modules.map(({ module, commit }) => [module, commit?.id])).toEqual([["zapp", next]]);
  },
);
