import type { Name, ObjectId } from "../core/names.ts";
import type { ModuleFacts } from "../decide/build-facts.ts";
import { compareSources, type Comparison, headKey } from "../source/compare-sources.ts";
import type { Repository } from "../source/repository.ts";
import type { Queryable } from "../store/database.ts";
import { listHeads } from "../store/source-heads.ts";
import type { ImportCache } from "../source/imports/import-cache.ts";
import { compareAhead } from "./compare-ahead.ts";
import { createKeptRecords, type KeptRecords, type PlanRecords } from "./kept-records.ts";
import type { RepositoryPool } from "./repository-pool.ts";

export interface LookWithoutKeeping {
  readonly db: Queryable;
  readonly mesh: Name;
  /** Of clones of one's own: those of a controller that works at the same moment are left alone. */
  readonly repositories: RepositoryPool;
  readonly imports: ImportCache;
  /** What this process knows of the records. Left out: everything is read. */
  readonly kept?: KeptRecords;
}

export interface Looked extends Pick<Comparison, "parsedFiles" | "cachedFiles"> {
  readonly heads: readonly { readonly repository: Name; readonly branch: string; readonly commit: ObjectId | null }[];
  /** As they were before anything was compared with them. */
  readonly records: PlanRecords;
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
  return compareTips(look, await seeTips(look));
}

/** The branches that modules follow, as they are now. */
export interface Tips {
  readonly repositories: ReadonlyMap<Name, Repository>;
  readonly heads: Looked["heads"];
}

export async function seeTips(look: LookWithoutKeeping): Promise<Tips> {
  const followed = await listHeads(look.db, look.mesh);
  const urls = new Map(followed.map(({ repository, url }) => [repository, url]));
  const repositories = new Map<Name, Repository>();
  const heads: Looked["heads"][number][] = [];
  for (const [repository, url] of urls) {
    const opened = await look.repositories.open({ name: repository, url });
    repositories.set(repository, opened);
    const branches = followed.filter((head) => head.repository === repository).map((head) => head.branch);
    for (const [branch, commit] of await opened.lookAtHeads(branches)) heads.push({ repository, branch, commit });
  }
  return { repositories, heads };
}

/** Compares these tips with the records. */
export async function compareTips(look: LookWithoutKeeping, { repositories, heads }: Tips): Promise<Looked> {
  const kept = look.kept ?? createKeptRecords(look.db, look.mesh);
  const { records, comparison } = await compareAhead(kept, (against, signal) =>
    compareSources({
      modules: against.registered,
      repositories,
      heads: new Map(heads.map(({ repository, branch, commit }) => [headKey(repository, branch), commit])),
      known: against.known,
      memory: kept.sources,
      cache: { read: (reader, blobs) => look.imports.read(reader, blobs), write: () => Promise.resolve() },
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  return {
    heads,
    records,
    newer: new Map(comparison.modules.map((facts) => [facts.module, toNewer(facts)] as const)),
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
