import type { Name, ObjectId } from "../core/names.ts";
import type { ImportReader } from "./imports/import-reader.ts";
import { findLocksAbove } from "./locks-above.ts";
import type { SeenFolder } from "./look-at-folders.ts";
import { readModuleFolders, type ModuleFolder } from "./read-module-folders.ts";
import { readTrees } from "./read-tree.ts";
import type { CommitInfo, Repository } from "./repository.ts";

/** Folders read so far in one comparison: each once, those of one commit together. */
export interface FolderReading {
  readonly folders: ReadonlyMap<Name, ModuleFolder>;
  read(seen: readonly SeenFolder[]): Promise<void>;
  infoOf(repository: Repository, commit: ObjectId): Promise<CommitInfo>;
}

/** Has the commits fetched that are not here; each is asked for once in one comparison. */
export type FetchOnce = (
  repository: Repository,
  commits: readonly { readonly branch: string; readonly commit: ObjectId }[],
) => Promise<void>;

export function createFetchOnce(
  signal?: AbortSignal,
  brought: readonly { readonly repository: Repository; readonly commit: ObjectId }[] = [],
): FetchOnce {
  const asked = new Set(brought.map(({ repository, commit }) => `${repository.dir}\0${commit}`));
  return async (repository, commits) => {
    const wanted = new Map<ObjectId, { readonly branch: string; readonly commit: ObjectId }>();
    for (const one of commits) if (!asked.has(`${repository.dir}\0${one.commit}`)) wanted.set(one.commit, one);
    if (wanted.size === 0) return;
    await repository.fetchCommits([...wanted.values()], signal);
    for (const commit of wanted.keys()) asked.add(`${repository.dir}\0${commit}`);
  };
}

export function createFolderReading(options: {
  readonly readers: ReadonlyMap<string, ImportReader>;
  readonly commitOf: (seen: SeenFolder) => ObjectId;
  readonly fetchOnce: FetchOnce;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (() => void) | undefined;
}): FolderReading {
  const folders = new Map<Name, ModuleFolder>();
  const infos = new Map<string, Promise<CommitInfo>>();
  const infoOf = (repository: Repository, commit: ObjectId): Promise<CommitInfo> => {
    const key = `${repository.dir}\0${commit}`;
    const known = infos.get(key) ?? repository.commitInfo(commit);
    infos.set(key, known);
    return known;
  };
  return {
    folders,
    infoOf,
    read: async (seen) => {
      for (const group of groupByCommit(
        seen.filter(({ module }) => !folders.has(module.module)),
        options.commitOf,
      )) {
        options.signal?.throwIfAborted();
        const { repository, commit, members } = group;
        // On record, and yet not here: the clone may have been lost since, or be of another machine's controller.
        await options.fetchOnce(
          repository,
          members.map(({ module: { branch } }) => ({ branch, commit })),
        );
        const trees = await readTrees({
          repository,
          commit,
          folders: members.map(({ module, without }) => ({ path: module.path, without })),
        });
        const unknown = members.flatMap(({ module, locks }) => (locks === null ? [module.path] : []));
        const asked = await findLocksAbove(repository, commit, {
          paths: unknown,
          readers: options.readers.values(),
        });
        const read = await readModuleFolders({
          repository,
          info: await infoOf(repository, commit),
          readers: options.readers,
          modules: members.map(({ module, locks }, at) => {
            const tree = trees[at];
            if (tree === undefined) throw new Error("every folder that was asked for has a reading");
            return { module, tree, locks: locks ?? asked.get(module.path) ?? [] };
          }),
        });
        for (const folder of read) folders.set(folder.module.module, folder);
        options.onProgress?.();
      }
    },
  };
}

interface CommitGroup {
  readonly repository: Repository;
  readonly commit: ObjectId;
  readonly members: SeenFolder[];
}

function groupByCommit(seen: readonly SeenFolder[], commitOf: (seen: SeenFolder) => ObjectId): CommitGroup[] {
  const groups = new Map<string, CommitGroup>();
  for (const one of seen) {
    const commit = commitOf(one);
    const key = `${one.repository.dir}\0${commit}`;
    const group = groups.get(key) ?? { repository: one.repository, commit, members: [] };
    group.members.push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}
