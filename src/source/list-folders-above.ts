import type { ImportReader } from "./imports/import-reader.ts";
import { listLockPlaces } from "./locks-above.ts";
import type { RegisteredModule } from "./source-facts.ts";
import type { SourceMemory } from "./source-memory.ts";

/** Where it is seen that something of these modules moved. */
export interface FoldersAbove {
  /** "" is the root. */
  readonly folders: readonly string[];
  /** Lock files that may be theirs too. */
  readonly lockFiles: ReadonlySet<string>;
  /** Places in the list of modules, by their path. */
  readonly membersAt: ReadonlyMap<string, readonly number[]>;
}

/** More are listed by git itself. */
const foldersLimit = 20;

const aboveOf = new WeakMap<readonly RegisteredModule[], FoldersAbove | { readonly none: true }>();

/** Null: in too many folders, or one of the modules is the whole repository. */
export function listFoldersAbove(
  members: readonly RegisteredModule[],
  {
    readers,
    memory,
  }: { readonly readers: ReadonlyMap<string, ImportReader>; readonly memory: Pick<SourceMemory, "lockPlaces"> },
): FoldersAbove | null {
  const known = aboveOf.get(members) ?? collect(members, [...readers.values()], memory) ?? { none: true };
  aboveOf.set(members, known);
  return "none" in known ? null : known;
}

function collect(
  members: readonly RegisteredModule[],
  readers: readonly ImportReader[],
  memory: Pick<SourceMemory, "lockPlaces">,
): FoldersAbove | null {
  const folders = new Set<string>();
  const lockFiles = new Set<string>();
  const membersAt = new Map<string, number[]>();
  for (const [at, { path }] of members.entries()) {
    if (path === ".") return null;
    folders.add(folderOf(path));
    membersAt.set(path, [...(membersAt.get(path) ?? []), at]);
    for (const place of listLockPlaces(path, { readers, memory })) {
      lockFiles.add(place.path);
      folders.add(folderOf(place.path));
    }
    if (folders.size > foldersLimit) return null;
  }
  return { folders: [...folders].toSorted(), lockFiles, membersAt };
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
