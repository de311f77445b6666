import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { KnownSource } from "../../../src/core/known-source.ts";
import type { ObjectId } from "../../../src/core/names.ts";
import { compareSources, type Comparison, headKey } from "../../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../../src/source/imports/import-cache.ts";
import { openRepository } from "../../../src/source/open-repository.ts";
import type { Repository } from "../../../src/source/repository.ts";
import type { SourceFacts } from "../../../src/source/source-facts.ts";
import { createGitRepository, type GitRepository } from "../../support/git-repository.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

/** Several real repositories, each with what the controller keeps of it. */
export interface SourceBed {
  origin(repository: string): GitRepository;
  /** Modules as `<module>` in `code`, or `<repository>:<module>`, in the folder of that name; `@<folder>` for another. */
  compare(modules: readonly string[]): Promise<Comparison>;
  /** The same, by module. */
  facts(modules: readonly string[]): Promise<Readonly<Record<string, SourceFacts>>>;
  /** The same, by a controller that keeps what it read: only what moved is read again. */
  factsSince(modules: readonly string[]): Promise<Readonly<Record<string, SourceFacts>>>;
}

export async function createSourceBed(repositories: readonly string[] = ["code"]): Promise<SourceBed> {
  const folder = await createTemporaryFolder();
  const origins = new Map<string, GitRepository>();
  const clones = new Map<string, Repository>();
  for (const name of repositories) {
    const origin = await createGitRepository();
    onTestFinished(() => origin.remove());
    origins.set(name, origin);
    clones.set(name, await openRepository({ url: origin.dir, dir: join(folder, `${name}.git`) }));
  }
  const cache = createMemoryImportCache();
  const known = new Map<string, KnownSource>();
  const kept: Record<string, SourceFacts> = {};
  const compare = async (
    modules: readonly string[],
    before: ReadonlyMap<string, KnownSource> = new Map(),
  ): Promise<Comparison> => {
    const heads = new Map<string, ObjectId | null>();
    for (const [name, clone] of clones)
      heads.set(headKey(name, "main"), (await clone.lookAtHeads(["main"])).get("main") ?? null);
    return compareSources({ modules: modules.map(toModule), repositories: clones, heads, cache, known: before });
  };
  return {
    origin: (repository) => {
      const origin = origins.get(repository);
      if (origin === undefined) throw new Error(`no repository ${repository} in this bed`);
      return origin;
    },
    compare: (modules) => compare(modules),
    factsSince: async (modules) => {
      for (const facts of (await compare(modules, new Map(known))).modules) {
        kept[facts.module] = facts;
        if (facts.known === null) known.delete(facts.module);
        else known.set(facts.module, facts.known);
      }
      return { ...kept };
    },
    facts: async (modules) =>
      Object.fromEntries((await compare(modules)).modules.map((facts) => [facts.module, facts] as const)),
  };
}

function toModule(text: string): { module: string; repository: string; branch: string; path: string } {
  const [, repository = "code", module = "", path = module] = /^(?:([^:]+):)?([^@]+)(?:@(.+))?$/.exec(text) ?? [];
  return { module, repository, branch: "main", path };
}
