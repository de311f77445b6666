import type { Digest, ObjectId } from "../core/names.ts";
import { digestValue } from "../decide/digest.ts";
import type { Finding } from "./finding.ts";
import type { FactFiles, ImportReader } from "./imports/import-reader.ts";
import type { TreeReading } from "./read-tree.ts";
import type { Repository } from "./repository.ts";

/** What a module's own folder puts into its closure (R8). */
export interface ClosureSource {
  /**
   * Without the folders of other modules, and without the lock files of its language: a lock file that is only written
   * in another way changes nothing.
   */
  readonly tree: ObjectId;
  /** Digest of the packages that its lock file resolves; null: it has none, or one that cannot be read. */
  readonly thirdParties: Digest | null;
  /** Why its lock file cannot be used. */
  readonly finding: Finding | null;
}

/** `reader`: undefined for a language that nobody reads here; then every file is part of the tree. */
export function readClosureSource(
  reading: Extract<TreeReading, { kind: "tree" }>,
  reader: Pick<ImportReader, "lockFiles" | "readLock"> | undefined,
  facts: FactFiles,
): ClosureSource {
  if (reader === undefined) return { tree: reading.tree, thirdParties: null, finding: null };
  const tree = reading.treeWithoutFiles(reader.lockFiles);
  const lock = reader.readLock(facts);
  if (lock.kind === "refused") return { tree, thirdParties: null, finding: lock.finding };
  // As JSON: an entry may hold half a character, which a canonical text must not.
  return { tree, thirdParties: lock.kind === "none" ? null : digestValue(JSON.stringify(lock.entries)), finding: null };
}

/** The same, reading the fact files itself: what is built must be what the closure says. */
export async function readClosureSourceOf(
  repository: Pick<Repository, "readBlobs">,
  reading: Extract<TreeReading, { kind: "tree" }>,
  reader: ImportReader | undefined,
): Promise<ClosureSource> {
  const paths = new Map<ObjectId, string[]>();
  for (const { path, blob } of reading.files)
    if (reader?.factFiles.includes(path) === true) paths.set(blob, [...(paths.get(blob) ?? []), path]);
  const facts = new Map<string, string>();
  for await (const { blob, bytes } of repository.readBlobs([...paths.keys()]))
    for (const path of paths.get(blob) ?? []) facts.set(path, bytes.toString("utf8"));
  return readClosureSource(reading, reader, facts);
}
