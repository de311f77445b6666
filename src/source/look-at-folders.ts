import type { Name, ObjectId } from "../core/names.ts";
import type { KnownSource } from "../core/known-source.ts";
import type { ImportReader } from "./imports/import-reader.ts";
import { findLocksAbove, type LockAbove } from "./locks-above.ts";
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
  /** Null: not asked for, its commit was looked at before. */
  readonly locks: readonly LockAbove[] | null;
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
  readers: ReadonlyMap<string, ImportReader>,
): Promise<SeenFolder[]> {
  const asked = new Map<Repository, Map<ObjectId, string[]>>();
  for (const { module, repository, commit } of placed) {
    if (isSeenBefore(known.get(module.module), commit)) continue;
    const byCommit = asked.get(repository) ?? new Map<ObjectId, string[]>();
    asked.set(repository, byCommit);
    const paths = byCommit.get(commit) ?? [];
    byCommit.set(commit, paths);
    paths.push(module.path);
  }
  const found = new Map<Repository, Map<ObjectId, Listing>>();
  for (const [repository, byCommit] of asked) {
    const listings = new Map<ObjectId, Listing>();
    found.set(repository, listings);
    for (const [commit, paths] of byCommit) {
      const folders = await repository.foldersAt(commit, paths);
      listings.set(commit, { folders, locks: await findLocksAbove(repository, commit, paths, readers.values()) });
    }
  }
  const version = readersVersion();
  return placed.map((one) => {
    const { module, repository, commit } = one;
    const before = known.get(module.module);
    const isSame = before !== undefined && isSeenBefore(before, commit);
    const listing = found.get(repository)?.get(commit);
    const folder = isSame ? before.folder : (listing?.folders.get(module.path) ?? null);
    const locks = isSame ? null : (listing?.locks.get(module.path) ?? []);
    const above = isSame ? lastLine(before.sourceKey) : `${abovePrefix}${describeLocks(locks ?? [])}`;
    const without = placements.nestedIn(module);
    const sourceKey = [version, repository.url, module.path, folder ?? "", ...without, above].join("\n");
    return {
      ...one,
      without,
      folder,
      sourceKey,
      locks,
      known: folder !== null && before !== undefined && before.sourceKey === sourceKey ? before : null,
    };
  });
}

interface Listing {
  readonly folders: ReadonlyMap<string, ObjectId>;
  readonly locks: ReadonlyMap<string, readonly LockAbove[]>;
}

const abovePrefix = "above ";

function describeLocks(locks: readonly LockAbove[]): string {
  return locks.map(({ file, member, blob }) => `${member} ${file} ${blob}`).join(" ");
}

/** What was kept before lock files above modules were read says nothing of them, and is looked at again. */
function isSeenBefore(known: KnownSource | undefined, commit: ObjectId): boolean {
  return known?.commit === commit && lastLine(known.sourceKey).startsWith(abovePrefix);
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
