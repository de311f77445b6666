import type { Name, ObjectId } from "../core/names.ts";
import type { KnownSource } from "../core/known-source.ts";
import { claimOf } from "./away.ts";
import type { ImportReader } from "./imports/import-reader.ts";
import { listFoldersAbove } from "./list-folders-above.ts";
import { findLocksAbove, type LockAbove } from "./locks-above.ts";
import type { Placements } from "./placements.ts";
import type { Claim } from "./publish-names.ts";
import { readersVersion } from "./readers-version.ts";
import type { Repository } from "./repository.ts";
import type { RegisteredModule } from "./source-facts.ts";
import type { LastLook, MemberPlace, SourceMemory } from "./source-memory.ts";

/** The modules of one branch, at the commit it was resolved to. */
export interface Placed {
  /** `headKey`. */
  readonly head: string;
  /** The same array as long as they are the same modules. */
  readonly members: readonly RegisteredModule[];
  readonly repository: Repository;
  readonly commit: ObjectId;
}

/** What git says of a module's folder, before anything in it is read. */
export interface SeenFolder {
  readonly module: RegisteredModule;
  readonly repository: Repository;
  /** Folders of other modules inside it. */
  readonly without: readonly string[];
  /** Null: there is no such folder. */
  readonly folder: ObjectId | null;
  readonly sourceKey: string;
  /** Null: not asked for, its commit was looked at before. */
  readonly locks: readonly LockAbove[] | null;
  /** As it was recorded, where that is still what is there. */
  readonly known: KnownSource | null;
  /** What it publishes, as far as that is recorded. */
  readonly claim: Claim | null;
}

/** All of them, and each by its name: of thousands a comparison asks for a few. */
export interface SeenFolders {
  readonly all: readonly SeenFolder[];
  find(module: Name): SeenFolder | undefined;
}

export interface LookAtFolders {
  readonly placed: readonly Placed[];
  readonly places: ReadonlyMap<Name, MemberPlace>;
  readonly placements: Placements;
  readonly known: ReadonlyMap<Name, KnownSource>;
  readonly readers: ReadonlyMap<string, ImportReader>;
  readonly memory: Pick<SourceMemory, "looks" | "lockPlaces">;
}

/** `readBy`: a Python that came, or a newer one, reads what could not be read before. Asked once: it looks at files. */
type Look = LookAtFolders & { readonly readBy: string };

/**
 * Which folders are not what they were. By ids alone: of a commit that was looked at before git is not even asked; of another
 * one it is asked what lies otherwise in the folders above the modules than it did when they were looked at last.
 */
export async function lookAtFolders(look: LookAtFolders): Promise<SeenFolders> {
  const seen = new Map<string, readonly SeenFolder[]>();
  const { placements, known, memory } = look;
  const by: Look = { ...look, readBy: sayReaders(look.readers) };
  for (const placed of look.placed) {
    const last = memory.looks.get(placed.head);
    const isOf =
      last?.members === placed.members &&
      last.placements === placements &&
      last.repository === placed.repository &&
      last.readBy === by.readBy;
    const now = (isOf ? await lookSince(by, placed, last) : null) ?? (await lookAtAll(by, placed));
    memory.looks.set(placed.head, { ...placed, placements, readBy: by.readBy, known, seen: now });
    seen.set(placed.head, now);
  }
  const [first, ...more] = seen.values();
  return {
    all: first !== undefined && more.length === 0 ? first : [...seen.values()].flat(),
    find: (module) => {
      const place = look.places.get(module);
      return place === undefined ? undefined : seen.get(place.head)?.[place.at];
    },
  };
}

/** From what was seen last. Null: all are to be looked at. */
async function lookSince(
  look: Look,
  { members, repository, commit }: Placed,
  last: LastLook,
): Promise<readonly SeenFolder[] | null> {
  const seen = [...last.seen];
  const again = new Map<number, ObjectId | null>();
  // What the records say of it was written since.
  if (last.known !== look.known)
    for (const [at, { module }] of members.entries())
      if (last.known.get(module) !== look.known.get(module)) again.set(at, seen[at]?.folder ?? null);
  if (last.commit !== commit) {
    const above = listFoldersAbove(members, look);
    const commits = { was: last.commit, is: commit };
    const differing = above === null ? null : await repository.differingAt(commits, above.folders);
    if (above === null || differing === null) return null;
    for (const [path, folder] of differing) {
      if (above.lockFiles.has(path)) return null;
      for (const at of above.membersAt.get(path) ?? []) again.set(at, folder);
    }
  }
  if (again.size === 0) return last.seen;
  for (const [at, folder] of again) {
    const was = seen[at];
    if (was === undefined) return null;
    const before = look.known.get(was.module.module);
    seen[at] = describeFolder(look, was, { before, folder, locks: was.locks, above: lastLine(was.sourceKey) });
  }
  return seen;
}

/** Without asking git: is what is known of a module, at a commit that was compared, still read and placed as it would be now? */
export function holdsUnseen(
  { placements, readers }: Pick<LookAtFolders, "placements" | "readers">,
  at: Pick<SeenFolder, "module" | "repository">,
  known: KnownSource,
): boolean {
  if (!lastLine(known.sourceKey).startsWith(abovePrefix)) return false;
  const found = { before: known, folder: known.folder, locks: null, above: lastLine(known.sourceKey) };
  return describeFolder({ placements, readBy: sayReaders(readers) }, at, found).known !== null;
}

function sayReaders(readers: LookAtFolders["readers"]): string {
  return [...readers.values()].map((reader) => reader.readerKey("")).join(" ");
}

async function lookAtAll(look: Look, { members, repository, commit }: Placed): Promise<SeenFolder[]> {
  const { known, memory } = look;
  const paths = members.filter(({ module }) => !isSeenBefore(known.get(module), commit)).map(({ path }) => path);
  const folders = paths.length === 0 ? new Map<string, ObjectId>() : await repository.foldersAt(commit, paths);
  const locksAt = await findLocksAbove(repository, commit, { paths, readers: look.readers.values(), memory });
  return members.map((module) => {
    const before = known.get(module.module);
    const isSame = before !== undefined && isSeenBefore(before, commit);
    const locks = isSame ? null : (locksAt.get(module.path) ?? []);
    return describeFolder(
      look,
      { module, repository },
      {
        before,
        folder: isSame ? before.folder : (folders.get(module.path) ?? null),
        locks,
        above: isSame ? lastLine(before.sourceKey) : `${abovePrefix}${describeLocks(locks ?? [])}`,
      },
    );
  });
}

function describeFolder(
  { placements, readBy }: Pick<Look, "placements" | "readBy">,
  { module, repository }: Pick<SeenFolder, "module" | "repository">,
  found: Pick<SeenFolder, "folder" | "locks"> & { readonly before: KnownSource | undefined; readonly above: string },
): SeenFolder {
  const { before, folder, locks, above } = found;
  const without = placements.nestedIn(module);
  const sourceKey = [readersVersion(), readBy, repository.url, module.path, folder ?? "", ...without, above].join("\n");
  const known = folder !== null && before !== undefined && before.sourceKey === sourceKey ? before : null;
  return { module, repository, without, folder, sourceKey, locks, known, claim: claimOf(module.module, known) };
}

const abovePrefix = "above ";

function describeLocks(locks: readonly LockAbove[]): string {
  return locks.map(({ file, member, blob }) => `${member} ${file} ${blob}`).join(" ");
}

/** What was kept before lock files above modules were read says nothing of them, and is looked at again. */
export function isSeenBefore(known: KnownSource | undefined, commit: ObjectId): boolean {
  return known?.commit === commit && lastLine(known.sourceKey).startsWith(abovePrefix);
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
