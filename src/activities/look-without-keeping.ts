import type { Name, ObjectId } from "../core/names.ts";
import type { ModuleFacts } from "../decide/build-facts.ts";
import { compareSources, type Comparison, headKey } from "../source/compare-sources.ts";
import type { Repository } from "../source/repository.ts";
import type { Queryable } from "../store/database.ts";
import { listModuleSources } from "../store/module-sources.ts";
import { listHeads } from "../store/source-heads.ts";
import type { ImportCache } from "../source/imports/import-cache.ts";
import type { RepositoryPool } from "./repository-pool.ts";

export interface LookWithoutKeeping {
  readonly db: Queryable;
  readonly mesh: Name;
  /** Of clones of one's own: those of a controller that works at the same moment are left alone. */
  readonly repositories: RepositoryPool;
  readonly imports: ImportCache;
}

export interface Looked extends Pick<Comparison, "parsedFiles" | "cachedFiles"> {
  readonly heads: readonly { readonly repository: Name; readonly branch: string; readonly commit: ObjectId | null }[];
  /** What of modules' facts is newer than the records. */
  readonly newer: ReadonlyMap<Name, NewerFacts>;
  /** Modules that were read, because something of theirs moved. */
  readonly readModules: number;
}

export type NewerFacts = Pick<ModuleFacts, "commit"> &
  Partial<Pick<ModuleFacts, "moved" | "language" | "thirdParties" | "edges" | "problem">> & {
    readonly tree?: ObjectId | null;
  };

/**
 * Looks at every source and compares it with the records, which stay as they are. A source that does not answer is an
 * UnavailableError for all of it: never a shorter answer (R26).
 */
export async function lookWithoutKeeping(look: LookWithoutKeeping): Promise<Looked> {
  const [followed, modules] = [await listHeads(look.db, look.mesh), await listModuleSources(look.db, look.mesh)];
  const urls = new Map(followed.map(({ repository, url }) => [repository, url]));
  const repositories = new Map<Name, Repository>();
  const heads = new Map<string, ObjectId | null>();
  for (const [name, url] of urls) {
    const repository = await look.repositories.open({ name, url });
    repositories.set(name, repository);
    const branches = followed.filter((head) => head.repository === name).map((head) => head.branch);
    for (const [branch, commit] of await repository.lookAtHeads(branches)) heads.set(headKey(name, branch), commit);
  }
  const comparison = await compareSources({
    modules: modules.map(({ name, repository, branch, path }) => ({ module: name, repository, branch, path })),
    repositories,
    heads,
    known: new Map(
      modules.flatMap(({ name, known, sourceCommit }) =>
        known !== null && known.commit === sourceCommit ? [[name, known] as const] : [],
      ),
    ),
    cache: { read: (reader, blobs) => look.imports.read(reader, blobs), write: () => Promise.resolve() },
  });
  return {
    heads: followed.map(({ repository, branch }) => ({
      repository,
      branch,
      commit: heads.get(headKey(repository, branch)) ?? null,
    })),
    newer: new Map([
      ...comparison.modules.map((facts) => [facts.module, toNewer(facts)] as const),
      ...comparison.unchanged.map(({ module, commit }) => [module, { commit: commit.id }] as const),
    ]),
    readModules: comparison.modules.length,
    parsedFiles: comparison.parsedFiles,
    cachedFiles: comparison.cachedFiles,
  };
}

function toNewer(facts: Comparison["modules"][number]): NewerFacts {
  const { commit, tree, manifest, thirdParties, edges, problem } = facts;
  const unread = manifest === null ? "it has no manifest that can be read" : null;
  return {
    commit: commit?.id ?? "",
    moved: commit,
    tree,
    language: manifest?.language ?? "",
    thirdParties,
    edges,
    problem: problem?.message ?? unread,
  };
}
