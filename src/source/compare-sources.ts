import type { Name, ObjectId } from "../core/names.ts";
import { createFetchOnce, createFolderReading, type FetchOnce } from "./folder-reading.ts";
import type { ImportCache } from "./imports/import-cache.ts";
import type { ImportReader } from "./imports/import-reader.ts";
import { createFilesReader } from "./imports/files.ts";
import { createGoReader } from "./imports/go.ts";
import { createPythonReader } from "./imports/python.ts";
import { createRustReader } from "./imports/rust.ts";
import { createTypeScriptReader } from "./imports/typescript.ts";
import type { ReadingThread } from "./imports/reading-thread.ts";
import type { KnownSource } from "../core/known-source.ts";
import type { AwayBranch, AwayModule } from "./away.ts";
import { holdsUnseen, isSeenBefore, lookAtFolders, type Placed, type SeenFolder } from "./look-at-folders.ts";
import { readWhatMoved, type Work } from "./read-what-moved.ts";
import type { CommitInfo, Repository } from "./repository.ts";
import { describeMissingBranch, type RegisteredModule, type SourceFacts } from "./source-facts.ts";
import { createSourceMemory, type SourceMemory } from "./source-memory.ts";

export interface Comparison {
  /** Those that were read, in the order given. Without `known` all of them. */
  readonly modules: readonly SourceFacts[];
  /** Those that would have to be read and cannot be, with why; not in `modules`. */
  readonly unread: ReadonlyMap<Name, string>;
  /** Those whose facts are what is known of them, at another commit. */
  listUnchanged(): Promise<readonly UnchangedModule[]>;
  /** Files parsed now, and those that the cache knew. */
  readonly parsedFiles: number;
  readonly cachedFiles: number;
}

export interface UnchangedModule {
  readonly module: Name;
  readonly commit: CommitInfo;
}

export interface CompareSources {
  readonly modules: readonly RegisteredModule[];
  /** Every one that has a resolved branch. */
  readonly repositories: ReadonlyMap<Name, Repository>;
  /** The commit each branch was resolved to, once (case 5), by `headKey`. Null: the branch does not exist. */
  readonly heads: ReadonlyMap<string, ObjectId | null>;
  /**
   * By `headKey`: why nothing of that branch can be read now. What is known of its modules counts for others, and for
   * themselves as long as nothing of them has to be read.
   */
  readonly away?: ReadonlyMap<string, string>;
  /** Commits that were made sure to be here a moment ago: they are not asked for again. */
  readonly brought?: readonly { readonly repository: Repository; readonly commit: ObjectId }[];
  /** Modules that could not be read the last time: what is known of them is not of the commit that was compared. */
  readonly doubted?: ReadonlySet<Name>;
  /** What the facts on record were read from: where that is the same they hold, and nothing is read. */
  readonly known?: ReadonlyMap<Name, KnownSource>;
  readonly cache: ImportCache;
  /** By language. `createImportReaders()` where it is left out. */
  readonly readers?: ReadonlyMap<string, ImportReader>;
  /** Of comparisons before; it changes no answer. The same list of modules is to be the same array. */
  readonly memory?: SourceMemory;
  /** Reads files beside this one, where there are very many. */
  readonly thread?: ReadingThread | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: () => void;
}

export function headKey(repository: Name, branch: string): string {
  return `${repository}#${branch}`;
}

/** One per language; a language is added here and nowhere else in this folder. */
export function createImportReaders(): ReadonlyMap<string, ImportReader> {
  const readers = [
    createTypeScriptReader(),
    createGoReader(),
    createPythonReader(),
    createRustReader(),
    createFilesReader(),
  ];
  return new Map(readers.map((reader) => [reader.language, reader]));
}

/**
 * What is true of every registered module at the resolved commits; only what moved is read. Commits that are not here yet
 * are fetched. A repository that does not answer, and is not said to be `away`, is an UnavailableError for the whole comparison,
 * never a shorter answer (R26).
 */
export async function compareSources(options: CompareSources): Promise<Comparison> {
  const memory = options.memory ?? createSourceMemory();
  const { placed, missing, branchesAway } = placeModules(options, memory);
  const fetchOnce = createFetchOnce(options.signal, options.brought);
  await fetchUnknown(options, placed, fetchOnce);
  const placements = memory.placementsOf(options.modules);
  const readers = options.readers ?? createImportReaders();
  const known = options.known ?? new Map<Name, KnownSource>();
  const places = memory.placesOf(options.modules);
  const seen = await lookAtFolders({ placed, places, placements, known, readers, memory });
  const commits = new Map(placed.map(({ head, commit }) => [head, commit]));
  const commitOf = ({ module: { repository, branch } }: SeenFolder): ObjectId => {
    const commit = commits.get(headKey(repository, branch));
    if (commit === undefined) throw new Error(`branch ${branch} of repository ${repository} was not looked at`);
    return commit;
  };
  const { modules: registered, cache, signal, onProgress, thread } = options;
  const reading = createFolderReading({ readers, commitOf, fetchOnce, signal, onProgress });
  const asked = { modules: registered, cache, signal, onProgress, thread };
  const away = branchesAway.flatMap((branch) => describeAway(options, branch, { known, placements, readers }));
  const work = { ...asked, memory, known, readers, placements, seen, away, reading, commitOf };
  const { facts, ...counts } = await readWhatMoved(work);
  const orderOf = ({ module }: { readonly module: Name }): number => places.get(module)?.order ?? 0;
  const modules = [...facts.values(), ...[...missing].map(describeMissingBranch)].toSorted(
    (a, b) => orderOf(a) - orderOf(b),
  );
  return { modules, listUnchanged: () => listUnchanged(work, facts), ...counts };
}

function placeModules(
  options: CompareSources,
  memory: SourceMemory,
): {
  readonly placed: readonly Placed[];
  readonly missing: ReadonlySet<RegisteredModule>;
  readonly branchesAway: readonly AwayBranch[];
} {
  const placed: Placed[] = [];
  const missing = new Set<RegisteredModule>();
  const branchesAway: AwayBranch[] = [];
  for (const [head, members] of memory.membersOf(options.modules)) {
    const [first] = members;
    if (first === undefined) continue;
    const commit = findHead(options, first);
    const why = options.away?.get(head);
    const repository = options.repositories.get(first.repository) ?? null;
    if (why !== undefined) branchesAway.push({ members, commit, repository, why });
    else if (commit === null) for (const module of members) missing.add(module);
    else placed.push({ head, members, commit, repository: findRepository(options, first) });
  }
  return { placed, missing, branchesAway };
}

function describeAway(
  { doubted }: CompareSources,
  { members, commit, repository, why }: AwayBranch,
  look: Pick<Work, "known" | "placements" | "readers">,
): AwayModule[] {
  return members.map((module) => {
    const known = look.known.get(module.module) ?? null;
    const isPlaced = known !== null && commit !== null && repository !== null;
    return {
      module: module.module,
      why,
      known,
      holds: isPlaced && doubted?.has(module.module) !== true && holdsUnseen(look, { module, repository }, known),
    };
  });
}

async function listUnchanged(
  { seen, reading, commitOf }: Work,
  facts: ReadonlyMap<Name, SourceFacts>,
): Promise<readonly UnchangedModule[]> {
  const unchanged: UnchangedModule[] = [];
  for (const one of seen.all) {
    const commit = commitOf(one);
    if (facts.has(one.module.module) || one.known?.commit === commit) continue;
    unchanged.push({ module: one.module.module, commit: await reading.infoOf(one.repository, commit) });
  }
  return unchanged;
}

/** Of a commit that every module of it was compared at nothing is asked, as long as nothing of it is read. */
async function fetchUnknown({ known }: CompareSources, placed: readonly Placed[], fetchOnce: FetchOnce): Promise<void> {
  const wanted = new Map<Repository, { branch: string; commit: ObjectId }[]>();
  for (const { members, repository, commit } of placed) {
    const other = members.find(({ module }) => !isSeenBefore(known?.get(module), commit));
    if (other === undefined) continue;
    const commits = wanted.get(repository) ?? [];
    wanted.set(repository, commits);
    commits.push({ branch: other.branch, commit });
  }
  for (const [repository, commits] of wanted) await fetchOnce(repository, commits);
}

function findHead(options: CompareSources, module: RegisteredModule): ObjectId | null {
  const head = options.heads.get(headKey(module.repository, module.branch));
  // Not looked at is not the same as not there: an error is never an empty set.
  if (head === undefined)
    throw new Error(`branch ${module.branch} of repository ${module.repository} was not resolved`);
  return head;
}

function findRepository(options: CompareSources, module: RegisteredModule): Repository {
  const repository = options.repositories.get(module.repository);
  if (repository === undefined) throw new Error(`repository ${module.repository} was not opened`);
  return repository;
}
