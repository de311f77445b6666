import type { Name, ObjectId } from "../core/names.ts";
import type { ModuleFacts } from "../decide/build-facts.ts";
import { compareSources, type Comparison, headKey } from "../source/compare-sources.ts";
import type { Repository } from "../source/repository.ts";
import type { Queryable } from "../store/database.ts";
import { listHeads, type SourceHead } from "../store/source-heads.ts";
import type { ImportCache } from "../source/imports/import-cache.ts";
import type { ReadingThread } from "../source/imports/reading-thread.ts";
import { compareAhead } from "./compare-ahead.ts";
import type { SourceMemory } from "../source/source-memory.ts";
import { createKeptRecords, type KeptRecords, type PlanRecords } from "./kept-records.ts";
import { type FetchDesk, listBrought, type WantedTip } from "./fetch-desk.ts";
import { isSourceFailure, looksAtOnce } from "./look-at-sources.ts";
import { isSeenBefore } from "../source/look-at-folders.ts";
import type { RepositoryPool } from "./repository-pool.ts";

export interface LookWithoutKeeping {
  readonly db: Queryable;
  readonly mesh: Name;
  /** Of clones of one's own: those of a controller that works at the same moment are left alone. */
  readonly repositories: RepositoryPool;
  readonly imports: ImportCache;
  readonly thread?: ReadingThread | undefined;
  /** One for each of those pools, so that a source that hangs for one question is left alone by the next (R33). */
  readonly fetches: FetchDesk;
  /** What this process knows of the records. Left out: everything is read. */
  readonly kept?: KeptRecords;
  /** Nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

export interface Looked extends Pick<Comparison, "parsedFiles" | "cachedFiles"> {
  readonly heads: readonly {
    readonly repository: Name;
    readonly branch: string;
    readonly commit: ObjectId | null;
    /** Why it was not seen; null: it was. */
    readonly failure: string | null;
  }[];
  /** Modules of which it cannot be told how they stand, with why: sources do not answer. */
  readonly unread: Comparison["unread"];
  /** As they were before anything was compared with them. */
  readonly records: PlanRecords;
  /** What of modules' facts is newer than the records. */
  readonly newer: ReadonlyMap<Name, NewerFacts>;
  /** Modules that were read, because something of theirs moved. */
  readonly readModules: number;
}

export type NewerFacts = Pick<ModuleFacts, "commit"> &
  Partial<Pick<ModuleFacts, "moved" | "language" | "thirdParties" | "edges" | "problem" | "unread">> & {
    /** Left out: `edges`, where they are given, are all. */
    readonly areEdgesKnown?: boolean;
    readonly tree?: ObjectId | null;
  };

/** The branches that modules follow, as they are now. */
export interface Tips {
  readonly repositories: ReadonlyMap<Name, Repository>;
  readonly heads: Looked["heads"];
}

/** `heads`: of `listHeads`; asked for where they are left out. */
export async function seeTips(look: LookWithoutKeeping, heads?: readonly SourceHead[]): Promise<Tips> {
  const followed = heads ?? (await listHeads(look.db, look.mesh));
  const urls = new Map(followed.map(({ repository, url }) => [repository, url]));
  const repositories = new Map<Name, Repository>();
  const seen = new Map<Name, ReadonlyMap<string, ObjectId | null> | string>();
  const left = [...urls];
  const lookOn = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      look.signal?.throwIfAborted();
      const [repository, url] = next;
      const branches = followed.filter((head) => head.repository === repository).map((head) => head.branch);
      try {
        const opened = await look.repositories.open({ name: repository, url });
        repositories.set(repository, opened);
        seen.set(repository, await opened.lookAtHeads(branches, look.signal));
      } catch (error) {
        // What was cut off says nothing of the source.
        look.signal?.throwIfAborted();
        if (!isSourceFailure(error)) throw error;
        seen.set(repository, error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: looksAtOnce }, lookOn));
  return {
    repositories,
    heads: followed.map(({ repository, branch, commit: before }) => {
      const tips = seen.get(repository) ?? new Map<string, ObjectId | null>();
      if (typeof tips === "string") return { repository, branch, commit: null, failure: tips };
      const commit = tips.get(branch) ?? null;
      // One that was there: as where a controller looks, that is a source that fails, and no module that has no source (case 4).
      const failure = commit === null && before !== null ? `there is no branch ${branch}` : null;
      return { repository, branch, commit, failure };
    }),
  };
}

/**
 * Compares these tips with the records, which stay as they are. Of the modules of a source that does not answer it cannot be
 * told how they stand, and so it is said of each: never a shorter answer (R26).
 */
export async function compareTips(look: LookWithoutKeeping, tips: Tips): Promise<Looked> {
  const kept = look.kept ?? createKeptRecords(look.db, look.mesh);
  const { records, comparison } = await compareAhead(kept, async (against, ahead) => {
    look.signal?.throwIfAborted();
    const signal = joinSignals(look.signal, ahead);
    const { heads, brought } = await bringTips(
      look.fetches,
      { ...against, members: kept.sources.membersOf(against.registered) },
      tips,
      signal ?? new AbortController().signal,
    );
    const away = new Map(
      heads.flatMap(({ repository, branch, failure }) =>
        failure === null ? [] : [[headKey(repository, branch), failure] as const],
      ),
    );
    const compared = await compareSources({
      modules: against.registered,
      repositories: tips.repositories,
      heads: new Map(heads.map(({ repository, branch, commit }) => [headKey(repository, branch), commit])),
      away,
      brought,
      known: against.known,
      memory: kept.sources,
      cache: { read: (reader, blobs) => look.imports.read(reader, blobs), write: () => Promise.resolve() },
      thread: look.thread,
      ...(signal === undefined ? {} : { signal }),
    });
    return { ...compared, heads };
  });
  const newer = new Map(comparison.modules.map((facts) => [facts.module, toNewer(facts)] as const));
  for (const { name, sourceCommit, unread } of comparison.unread.size === 0
    ? listUnread(records.modules)
    : records.modules) {
    const why = comparison.unread.get(name) ?? null;
    if (why !== unread && !newer.has(name)) newer.set(name, { commit: sourceCommit ?? "", unread: why });
  }
  return {
    heads: comparison.heads,
    unread: comparison.unread,
    records,
    newer,
    readModules: comparison.modules.length,
    parsedFiles: comparison.parsedFiles,
    cachedFiles: comparison.cachedFiles,
  };
}

function joinSignals(all: AbortSignal | undefined, own: AbortSignal | undefined): AbortSignal | undefined {
  return all === undefined || own === undefined ? (all ?? own) : AbortSignal.any([all, own]);
}

const unreadOf = new WeakMap<PlanRecords["modules"], PlanRecords["modules"]>();

/** Those that could not be read when the records were written. */
function listUnread(modules: PlanRecords["modules"]): PlanRecords["modules"] {
  const known = unreadOf.get(modules) ?? modules.filter(({ unread }) => unread !== null);
  unreadOf.set(modules, known);
  return known;
}

/** Those that are to be read, from several sources at once. One that does not come is not seen, whatever it answered before. */
async function bringTips(
  fetches: FetchDesk,
  { known, members }: Pick<PlanRecords, "known"> & { readonly members: ReturnType<SourceMemory["membersOf"]> },
  { repositories, heads }: Tips,
  signal: AbortSignal,
): Promise<Pick<Looked, "heads"> & { readonly brought: ReturnType<typeof listBrought> }> {
  const wanted = new Map<Repository, WantedTip[]>();
  for (const { repository, branch, commit } of heads) {
    const head = headKey(repository, branch);
    const opened = repositories.get(repository);
    if (commit === null || opened === undefined) continue;
    if ((members.get(head) ?? []).every(({ module }) => isSeenBefore(known.get(module), commit))) continue;
    wanted.set(opened, [...(wanted.get(opened) ?? []), { head, branch, commit }]);
  }
  if (wanted.size === 0) return { heads, brought: [] };
  const answers = await fetches.fetchAll(wanted, signal);
  return {
    heads: heads.map((head) => {
      const failure = answers.get(headKey(head.repository, head.branch)) ?? null;
      return failure === null ? head : { ...head, commit: null, failure: failure.message };
    }),
    brought: listBrought(wanted, answers),
  };
}

function toNewer(facts: Comparison["modules"][number]): NewerFacts {
  const { commit, tree, manifest, thirdParties, edges, areEdgesKnown, problem } = facts;
  const unread = manifest === null ? "it has no manifest that can be read" : null;
  return {
    commit: commit?.id ?? "",
    moved: commit,
    tree,
    language: manifest?.language ?? "",
    thirdParties,
    edges,
    areEdgesKnown,
    problem: problem?.message ?? unread,
    unread: null,
  };
}
