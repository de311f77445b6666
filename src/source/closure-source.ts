import type { Digest, ObjectId } from "../core/names.ts";
import { digestValue } from "../decide/digest.ts";
import type { Finding } from "./finding.ts";
import { type FactFiles, factBytesLimit, type ImportReader } from "./imports/import-reader.ts";
import { findLocksAbove, type LockFromAbove, readLockAbove } from "./locks-above.ts";
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

/** As it is built: what lies above the module's folder is given to it as a file of its own. */
export interface BuildSource extends ClosureSource {
  readonly lockFromAbove: Extract<LockFromAbove, { kind: "lock" }> | null;
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
  repository: Pick<Repository, "readBlobs" | "blobsAt">,
  { commit, path }: { readonly commit: ObjectId; readonly path: string },
  reading: Extract<TreeReading, { kind: "tree" }>,
  reader: ImportReader | undefined,
): Promise<BuildSource> {
  const paths = new Map<ObjectId, string[]>();
  for (const file of reading.files)
    if (reader?.factFiles.includes(file.path) === true)
      paths.set(file.blob, [...(paths.get(file.blob) ?? []), file.path]);
  const readers = reader === undefined ? [] : [reader];
  const locks = (await findLocksAbove(repository, commit, { paths: [path], readers })).get(path) ?? [];
  const above = locks.filter(({ bytes }) => bytes <= factBytesLimit).map(({ blob }) => blob);
  const facts = new Map<string, string>();
  const texts = new Map<ObjectId, string>();
  for await (const { blob, bytes } of repository.readBlobs([...new Set([...paths.keys(), ...above])])) {
    const text = bytes.toString("utf8");
    texts.set(blob, text);
    for (const file of paths.get(blob) ?? []) facts.set(file, text);
  }
  const lock = readLockAbove(locks, reader, facts, (blob) => texts.get(blob));
  if (lock.kind === "lock") facts.set(lock.file, lock.text);
  const source = readClosureSource(reading, reader, facts);
  return { ...source, lockFromAbove: lock.kind === "lock" ? lock : null };
}
