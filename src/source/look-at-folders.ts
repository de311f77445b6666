import type { Name, ObjectId } from "../core/names.ts";
import type { KnownSource } from "../core/known-source.ts";
import type { Placements } from "./placements.ts";
import { readersVersion } from "./readers-version.ts";
import type { Repository } from "./repository.ts";
import type { RegisteredModule } from "./source-facts.ts";

/** A module at the commit its branch was resolved to. */
export interface Placed {
  readonly module: RegisteredModule;
  readonly repository: Repository;
  readonly commit: ObjectId;
}

/** What git says of a module's folder, before anything in it is read. */
export interface SeenFolder extends Placed {
  /** Folders of other modules inside it. */
  readonly without: readonly string[];
  /** Null: there is no such folder. */
  readonly folder: ObjectId | null;
  readonly sourceKey: string;
  /** As it was recorded, where that is still what is there. */
  readonly known: KnownSource | null;
}

/**
 * Which folders are not what they were. By ids alone: of a commit that was looked at before git is not even asked, of
 * another one it lists the folders above the modules, once for each repository and commit.
 */
export async function lookAtFolders(
  placed: readonly Placed[],
  placements: Placements,
  known: ReadonlyMap<Name, KnownSource>,
): Promise<SeenFolder[]> {
  const asked = new Map<Repository, Map<ObjectId, string[]>>();
  for (const { module, repository, commit } of placed) {
    if (known.get(module.module)?.commit === commit) continue;
    const byCommit = asked.get(repository) ?? new Map<ObjectId, string[]>();
    asked.set(repository, byCommit);
    const paths = byCommit.get(commit) ?? [];
    byCommit.set(commit, paths);
    paths.push(module.path);
  }
  const found = new Map<Repository, Map<ObjectId, ReadonlyMap<string, ObjectId>>>();
  for (const [repository, byCommit] of asked) {
    const folders = new Map<ObjectId, ReadonlyMap<string, ObjectId>>();
    found.set(repository, folders);
    for (const [commit, paths] of byCommit) folders.set(commit, await repository.foldersAt(commit, paths));
  }
  const version = readersVersion();
  return placed.map((one) => {
    const { module, repository, commit } = one;
    const before = known.get(module.module);
    const folder =
      before?.commit === commit ? before.folder : (found.get(repository)?.get(commit)?.get(module.path) ?? null);
    const without = placements.nestedIn(module);
    const sourceKey = [version, repository.url, module.path, folder ?? "", ...without].join("\n");
    return {
      ...one,
      without,
      folder,
      sourceKey,
      known: folder !== null && before !== undefined && before.sourceKey === sourceKey ? before : null,
    };
  });
}
