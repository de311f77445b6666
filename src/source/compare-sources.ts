import type { Name, ObjectId } from "../core/names.ts";
import { deriveModule } from "./derive-edges.ts";
import { createFolderReading, type FolderReading } from "./folder-reading.ts";
import type { ImportCache } from "./imports/import-cache.ts";
import type { FactFiles, FileImports, ImportReader, PublishedNames } from "./imports/import-reader.ts";
import { readModuleImports } from "./imports/read-module-imports.ts";
import { createFilesReader } from "./imports/files.ts";
import { createGoReader } from "./imports/go.ts";
import { createPythonReader } from "./imports/python.ts";
import { createRustReader } from "./imports/rust.ts";
import { createTypeScriptReader } from "./imports/typescript.ts";
import { factsKeyOf, hasSameContext, shareFacts } from "./known-source.ts";
import type { KnownSource } from "../core/known-source.ts";
import { lookAtFolders, type Placed, type SeenFolder } from "./look-at-folders.ts";
import type { Placements } from "./placements.ts";
import type { Claim, Published } from "./publish-names.ts";
import type { ModuleFolder } from "./read-module-folders.ts";
import type { CommitInfo, Repository } from "./repository.ts";
import { describeMissingBranch, type RegisteredModule, type SourceFacts } from "./source-facts.ts";
import { createSourceMemory, type SourceMemory } from "./source-memory.ts";

export interface Comparison {
  /** Those that were read, in the order given. Without `known` all of them. */
  readonly modules: readonly SourceFacts[];
  /** Those whose facts are what is known of them, at another commit. */
  readonly unchanged: readonly { readonly module: Name; readonly commit: CommitInfo }[];
  /** Files parsed now, and those that the cache knew. */
  readonly parsedFiles: number;
  readonly cachedFiles: number;
}

export interface CompareSources {
  readonly modules: readonly RegisteredModule[];
  /** Every one that has a resolved branch. */
  readonly repositories: ReadonlyMap<Name, Repository>;
  /** The commit each branch was resolved to, once (case 5), by `headKey`. Null: the branch does not exist. */
  readonly heads: ReadonlyMap<string, ObjectId | null>;
  /** What the facts on record were read from: where that is the same they hold, and nothing is read. */
  readonly known?: ReadonlyMap<Name, KnownSource>;
  readonly cache: ImportCache;
  /** By language. `createImportReaders()` where it is left out. */
  readonly readers?: ReadonlyMap<string, ImportReader>;
  /** Of comparisons before; it changes no answer. The same list of modules is to be the same array. */
  readonly memory?: SourceMemory;
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
 * are fetched. A repository that does not answer is an UnavailableError for the whole comparison, never a shorter
 * answer (R26).
 */
export async function compareSources(options: CompareSources): Promise<Comparison> {
  const placed = options.modules.flatMap((module): Placed[] => {
    const commit = findHead(options, module);
    return commit === null ? [] : [{ module, commit, repository: findRepository(options, module) }];
  });
  await fetchUnknown(options, placed);
  const memory = options.memory ?? createSourceMemory();
  const placements = memory.placementsOf(options.modules);
  const readers = options.readers ?? createImportReaders();
  const seen = await lookAtFolders({
    placed,
    placements,
    known: options.known ?? new Map<Name, KnownSource>(),
    readers,
    memory,
  });
  const reading = createFolderReading({ readers, signal: options.signal, onProgress: options.onProgress });
  const work = { options, memory, readers, placements, seen, reading };
  const { facts, ...counts } = await readWhatMoved(work);
  const unchanged = await listUnchanged(seen, facts, reading);
  const here = new Set(placed.map(({ module }) => module.module));
  const modules = options.modules.flatMap((module): SourceFacts[] => {
    const read = facts.get(module.module);
    if (read !== undefined) return [read];
    return here.has(module.module) ? [] : [describeMissingBranch(module)];
  });
  return { modules, unchanged, ...counts };
}

async function listUnchanged(
  seen: readonly SeenFolder[],
  facts: ReadonlyMap<Name, SourceFacts>,
  reading: FolderReading,
): Promise<Comparison["unchanged"]> {
  const unchanged: { readonly module: Name; readonly commit: CommitInfo }[] = [];
  const infos = new Map<string, CommitInfo>();
  for (const { module, repository, commit, known } of seen) {
    if (facts.has(module.module) || known?.commit === commit) continue;
    // Thousands of modules are of one commit: it is asked for once.
    const key = headKey(module.repository, commit);
    const info = infos.get(key) ?? (await reading.infoOf(repository, commit));
    infos.set(key, info);
    unchanged.push({ module: module.module, commit: info });
  }
  return unchanged;
}

interface Work {
  readonly options: CompareSources;
  readonly memory: SourceMemory;
  readonly readers: ReadonlyMap<string, ImportReader>;
  readonly placements: Placements;
  readonly seen: readonly SeenFolder[];
  readonly reading: FolderReading;
}

interface Read {
  readonly facts: ReadonlyMap<Name, SourceFacts>;
  readonly parsedFiles: number;
  readonly cachedFiles: number;
}

/** Folders that moved, and those whose imports may lead elsewhere now because of what others publish. */
async function readWhatMoved(work: Work): Promise<Read> {
  const { options, seen, reading, readers } = work;
  const moved = seen.filter(({ known }) => known === null);
  await reading.read(moved);
  const names = readNames(work);
  const published = work.memory.publishedOf(names.claims, work.placements);
  const factsKey = createFactsKey(work);
  const stale = seen.filter(({ known }) => {
    return known !== null && !hasSameContext(known, published.key(known.language ?? ""), factsKey);
  });
  await reading.read(stale);
  const wanted = [...moved, ...stale];
  const imports = await readModuleImports({
    folders: wanted.flatMap(({ module }) => reading.folders.get(module.module) ?? []),
    readers,
    cache: options.cache,
    signal: options.signal,
    onProgress: options.onProgress,
  });
  const derive = { ...work, published, own: names.own, imports: imports.files, factsKey };
  const facts = new Map<Name, SourceFacts>();
  for (let left = wanted; left.length > 0;) {
    const asked = new Set<Name>();
    const again: SeenFolder[] = [];
    for (const one of left) {
      const derived = deriveOne(derive, one, asked);
      if (derived === null) again.push(one);
      else facts.set(one.module.module, derived);
    }
    await reading.read(seen.filter(({ module }) => asked.has(module.module)));
    left = again;
  }
  return { facts, parsedFiles: imports.parsed, cachedFiles: imports.cached };
}

/** What every module publishes: of those that were read by their reader, of the others as it is known. */
function readNames({ seen, reading, readers }: Work): {
  readonly claims: readonly Claim[];
  readonly own: ReadonlyMap<Name, PublishedNames>;
} {
  const own = new Map<Name, PublishedNames>();
  const claims = seen.flatMap(({ module: { module }, known }): Claim[] => {
    if (known !== null)
      return known.language === null ? [] : [{ module, language: known.language, names: known.publishes }];
    const folder = reading.folders.get(module);
    const reader = readerOf(readers, folder);
    if (folder === undefined || reader === undefined) return [];
    const said = reader.publishNames({ facts: folder.facts, files: folder.files.map((file) => file.path) });
    own.set(module, said);
    return [{ module, language: reader.language, names: said.names }];
  });
  return { claims, own };
}

function readerOf(
  readers: ReadonlyMap<string, ImportReader>,
  folder: ModuleFolder | undefined,
): ImportReader | undefined {
  return folder?.manifest ? readers.get(folder.manifest.language) : undefined;
}

/** Of a module as it is now; null: it is not there. */
function createFactsKey({ seen, reading, readers }: Work): (module: Name) => string | null {
  const known = new Map(seen.map((one) => [one.module.module, one.known]));
  const worked = new Map<Name, string>();
  return (module) => {
    const before = known.get(module);
    if (before === undefined) return null;
    if (before !== null) return before.factsKey;
    const key = worked.get(module) ?? factsKeyOf(factsOf(readers, reading.folders.get(module)));
    worked.set(module, key);
    return key;
  };
}

function factsOf(readers: ReadonlyMap<string, ImportReader>, folder: ModuleFolder | undefined): FactFiles {
  return folder === undefined ? new Map<string, string>() : shareFacts(folder.facts, readerOf(readers, folder));
}

interface Derive extends Work {
  readonly published: Published;
  readonly own: ReadonlyMap<Name, PublishedNames>;
  readonly imports: ReadonlyMap<string, FileImports>;
  readonly factsKey: (module: Name) => string | null;
}

/** Null: fact files of modules are wanted that were not read; their names are in `asked` then. */
function deriveOne(work: Derive, one: SeenFolder, asked: Set<Name>): SourceFacts | null {
  const folder = work.reading.folders.get(one.module.module);
  if (folder === undefined) throw new Error(`the folder of ${one.module.module} was to be read`);
  const reader = readerOf(work.readers, folder);
  const own =
    work.own.get(one.module.module) ??
    reader?.publishNames({ facts: folder.facts, files: folder.files.map((file) => file.path) });
  const uses = new Map<Name, string>();
  let missing = false;
  const facts = deriveModule({
    folder,
    reader,
    own,
    published: work.published,
    placements: work.placements,
    imports: work.imports,
    factsOf: (other) => {
      const key = work.factsKey(other);
      if (key === null) return new Map<string, string>();
      uses.set(other, key);
      const read = work.reading.folders.get(other);
      if (read === undefined) {
        asked.add(other);
        missing = true;
      }
      return factsOf(work.readers, read);
    },
  });
  if (missing) return null;
  const known: KnownSource | null =
    one.folder === null
      ? null
      : {
          commit: one.commit,
          folder: one.folder,
          sourceKey: one.sourceKey,
          namesKey: work.published.key(reader?.language ?? ""),
          language: reader?.language ?? null,
          publishes: [...facts.publishes],
          factsKey: factsKeyOf(factsOf(work.readers, folder)),
          uses: Object.fromEntries(uses),
        };
  return { ...facts, known };
}

/** A commit that every module of it was compared at is here: nothing is asked. */
async function fetchUnknown({ known }: CompareSources, placed: readonly Placed[]): Promise<void> {
  const wanted = new Map<Repository, Map<ObjectId, string>>();
  for (const { module, repository, commit } of placed) {
    if (known?.get(module.module)?.commit === commit) continue;
    wanted.set(repository, (wanted.get(repository) ?? new Map<ObjectId, string>()).set(commit, module.branch));
  }
  for (const [repository, commits] of wanted)
    await repository.fetchCommits([...commits].map(([commit, branch]) => ({ branch, commit })));
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
