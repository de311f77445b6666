import type { Name, ObjectId } from "../core/names.ts";
import type { KnownSource } from "../core/known-source.ts";
import type { ImportReader } from "./imports/import-reader.ts";
import { findLocksAbove, type LockAbove } from "./locks-above.ts";
import type { Placements } from "./placements.ts";
import { readersVersion } from "./readers-version.ts";
import type { Repository } from "./repository.ts";
import type { RegisteredModule } from "./source-facts.ts";
import type { SourceMemory } from "./source-memory.ts";

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

export interface LookAtFolders {
  readonly placed: readonly Placed[];
  readonly placements: Placements;
  readonly known: ReadonlyMap<Name, KnownSource>;
  readonly readers: ReadonlyMap<string, ImportReader>;
  readonly memory: Pick<SourceMemory, "seen" | "lockPlaces">;
}

/**
 * Which folders are not what they were. By ids alone: of a commit that was looked at before git is not even asked, of
 * another one it lists the folders above the modules, once for each repository and commit.
 */
export async function lookAtFolders(look: LookAtFolders): Promise<SeenFolder[]> {
  const { placed, known, memory } = look;
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
      const locks = await findLocksAbove(repository, commit, { paths, readers: look.readers.values(), memory });
      listings.set(commit, { folders, locks });
    }
  }
  return placed.map((one) => lookAtOne(look, one, found.get(one.repository)?.get(one.commit)));
}

function lookAtOne(look: LookAtFolders, placed: Placed, listing: Listing | undefined): SeenFolder {
  const { placements, known, memory } = look;
  const { module, repository, commit } = placed;
  const before = known.get(module.module);
  const isSame = before !== undefined && isSeenBefore(before, commit);
  const folder = isSame ? before.folder : (listing?.folders.get(module.path) ?? null);
  const locks = isSame ? null : (listing?.locks.get(module.path) ?? []);
  const last = memory.seen.get(module.module);
  const isLast = last?.before === before && last?.placements === placements && last.seen.repository === repository;
  if (isLast && last.seen.folder === folder && last.seen.module === module && isEqual(last.seen.locks, locks))
    return { ...last.seen, commit };
  const above = isSame ? lastLine(before.sourceKey) : `${abovePrefix}${describeLocks(locks ?? [])}`;
  const without = placements.nestedIn(module);
  const sourceKey = [readersVersion(), repository.url, module.path, folder ?? "", ...without, above].join("\n");
  const seen = {
    ...placed,
    without,
    folder,
    sourceKey,
    locks,
    known: folder !== null && before !== undefined && before.sourceKey === sourceKey ? before : null,
  };
  memory.seen.set(module.module, { before, placements, seen });
  return seen;
}

function isEqual(a: SeenFolder["locks"], b: SeenFolder["locks"]): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.length === b.length &&
    a.every(({ file, member, blob }, at) => {
      const other = b[at];
      return other?.blob === blob && other.file === file && other.member === member;
    })
  );
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
