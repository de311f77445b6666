import type { Name, ObjectId } from "../core/names.ts";
import { createFilesReader } from "./imports/files.ts";
import { createGoReader } from "./imports/go.ts";
import type { ImportCache } from "./imports/import-cache.ts";
import type { ImportReader } from "./imports/import-reader.ts";
import { readModuleImports } from "./imports/read-module-imports.ts";
import { createPythonReader } from "./imports/python.ts";
import { createRustReader } from "./imports/rust.ts";
import { createTypeScriptReader } from "./imports/typescript.ts";
import { deriveEdges } from "./derive-edges.ts";
import { nestedPaths } from "./nested-paths.ts";
import { readModuleFolders, type ModuleFolder } from "./read-module-folders.ts";
import { readTrees, type TreeReading } from "./read-tree.ts";
import type { CommitInfo, Repository } from "./repository.ts";
import type { RegisteredModule, SourceFacts } from "./source-facts.ts";

export interface Comparison {
  /** In the order given. */
  readonly modules: readonly SourceFacts[];
  /** Files parsed now; the rest came from the cache. */
  readonly parsedFiles: number;
  readonly cachedFiles: number;
}

export interface CompareSources {
  readonly modules: readonly RegisteredModule[];
  /** Every one that has a resolved branch. */
  readonly repositories: ReadonlyMap<Name, Repository>;
  /** The commit each branch was resolved to, once (case 5), by `headKey`. Null: the branch does not exist. */
  readonly heads: ReadonlyMap<string, ObjectId | null>;
  readonly cache: ImportCache;
  /** By language. `createImportReaders()` where it is left out. */
  readonly readers?: ReadonlyMap<string, ImportReader>;
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
 * Reads every registered module at the resolved commits. Commits that are not here yet are fetched. A repository that
 * does not answer is an UnavailableError for the whole comparison, never a shorter answer (R26).
 */
export async function compareSources(options: CompareSources): Promise<Comparison> {
  const placed = options.modules.flatMap((module) => {
    const commit = findHead(options, module);
    return commit === null ? [] : [{ module, commit, repository: findRepository(options, module) }];
  });
  const readers = options.readers ?? createImportReaders();
  const folders = new Map<Name, ModuleFolder>();
  for (const group of groupByCommit(placed)) {
    options.signal?.throwIfAborted();
    const { repository, commit } = group;
    await repository.fetchCommits([{ branch: group.branch, commit }]);
    const info = await repository.commitInfo(commit);
    const trees = await readTrees({
      repository,
      commit,
      folders: group.modules.map((module) => ({ path: module.path, without: nestedPaths(module, options.modules) })),
    });
    await readFolders({ repository, info, modules: group.modules, trees, readers, into: folders });
    options.onProgress?.();
  }
  const imports = await readModuleImports({
    folders: [...folders.values()],
    readers,
    cache: options.cache,
    signal: options.signal,
    onProgress: options.onProgress,
  });
  const derived = deriveEdges({ registered: options.modules, folders, imports: imports.files, readers });
  const modules = options.modules.map(
    (module): SourceFacts => derived.get(module.module) ?? describeMissingBranch(module),
  );
  return { modules, parsedFiles: imports.parsed, cachedFiles: imports.cached };
}

interface Placed {
  readonly module: RegisteredModule;
  readonly commit: ObjectId;
  readonly repository: Repository;
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

interface CommitGroup {
  readonly repository: Repository;
  readonly branch: string;
  readonly commit: ObjectId;
  readonly modules: RegisteredModule[];
}

function groupByCommit(placed: readonly Placed[]): CommitGroup[] {
  const groups = new Map<string, CommitGroup>();
  for (const { module, commit, repository } of placed) {
    const key = headKey(module.repository, module.branch);
    const group = groups.get(key) ?? { repository, branch: module.branch, commit, modules: [] };
    group.modules.push(module);
    groups.set(key, group);
  }
  return [...groups.values()];
}

async function readFolders(options: {
  readonly repository: Repository;
  readonly info: CommitInfo;
  readonly modules: readonly RegisteredModule[];
  readonly trees: readonly TreeReading[];
  readonly readers: ReadonlyMap<string, ImportReader>;
  readonly into: Map<Name, ModuleFolder>;
}): Promise<void> {
  const { repository, info, readers } = options;
  const folders = await readModuleFolders({
    repository,
    info,
    readers,
    modules: options.modules.map((module, at) => ({ module, tree: treeOf(options.trees, at) })),
  });
  for (const folder of folders) options.into.set(folder.module.module, folder);
}

function treeOf(trees: readonly TreeReading[], at: number): TreeReading {
  const tree = trees[at];
  if (tree === undefined) throw new Error("every folder that was asked for has a reading");
  return tree;
}

function describeMissingBranch(module: RegisteredModule): SourceFacts {
  const message = `there is no branch ${module.branch} in repository ${module.repository}`;
  return {
    module: module.module,
    commit: null,
    tree: null,
    thirdParties: null,
    manifest: null,
    publishes: [],
    edges: [],
    findings: [],
    problem: { stage: "source", message },
  };
}
