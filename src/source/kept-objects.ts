import { UnavailableError } from "../core/errors.ts";
import type { ObjectId } from "../core/names.ts";
import { DamagedCloneError } from "./bare-clone.ts";
import { isAskable, type ObjectInfo, type ObjectSession, type ReadObject } from "./object-session.ts";
import { createTreeObject, type TreeObject } from "./tree-object.ts";

/** A folder of a million files is some 40 MB. */
const treeBytesLimit = 64 * 1024 * 1024;
/** A message may be as long as a file; of a longer one git itself cuts the subject out. */
const commitBytesLimit = 1024 * 1024;

const treesKept = 2_000;
const treeBytesKept = 1024 * 1024;
const blobBytesKept = 16 * 1024;
/** Of all trees together, and of all blobs. */
const bytesKept = 16 * 1024 * 1024;
const blobsKept = 2_000;
const namesKept = 1_000;
const sizesKept = 20_000;
/** Folders below one that is asked for, by a guess: what is not there any more costs a line. */
const foldersGuessed = 8;

/**
 * What was read of one clone. A commit, a tree or a size never changes under its id, so it is kept for the next question;
 * whether the clone has it still is another question, and `hasCommit` asks git.
 */
interface Kept {
  readonly trees: Map<ObjectId, TreeObject>;
  treeBytes: number;
  /** Small ones: manifests and fact files are asked for again by every module that imports theirs. */
  readonly blobs: Map<ObjectId, Buffer>;
  blobBytes: number;
  /** By `<commit>:<path>`. */
  readonly treeIds: Map<string, ObjectId>;
  readonly commits: Map<ObjectId, string>;
  readonly sizes: Map<ObjectId, number>;
  /** Folders that were asked for of two commits: of the next commit they are wanted too. */
  above: readonly string[];
  /** Folders that lay below a folder when it was walked last, relative to it: of its next tree they are wanted too. */
  readonly below: Map<string, readonly string[]>;
}

const keptOf = new WeakMap<ObjectSession, Kept>();

function keptFor(session: ObjectSession): Kept {
  const kept = keptOf.get(session) ?? {
    trees: new Map(),
    treeBytes: 0,
    blobs: new Map(),
    blobBytes: 0,
    treeIds: new Map(),
    commits: new Map(),
    sizes: new Map(),
    above: [],
    below: new Map(),
  };
  keptOf.set(session, kept);
  return kept;
}

function keep<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  if (map.size >= limit && !map.has(key)) map.clear();
  map.set(key, value);
}

/** Does git have it? What it is, is kept. Throws UnavailableError where it is no commit: a source may have such a head. */
export async function hasCommit(session: ObjectSession, commit: ObjectId): Promise<boolean> {
  const { commits, treeIds, above } = keptFor(session);
  if (commits.has(commit)) return (await session.describe([commit]))[0] !== null;
  const folders = above.map((path) => ({ of: commit, path }));
  const [found = null, ...trees] = await session.read([commit, ...folders.map(sayFolder)], commitBytesLimit);
  if (found === null) return false;
  if (found.type !== "commit")
    throw new UnavailableError(
      `the repository's tip ${commit} is a ${found.type} and no commit`,
      "Put the branch right there: the next look finds its new tip.",
    );
  if (found.content === null) return true;
  const text = found.content.toString("utf8");
  keep(commits, commit, text, namesKept);
  const tree = /^tree ([0-9a-f]+)\n/.exec(text)?.[1];
  if (tree !== undefined) keep(treeIds, `${commit}:`, tree, namesKept);
  for (const [at, folder] of folders.entries()) keepTree(session, folder, trees[at] ?? null);
  return true;
}

/** From here on they are asked for together with a commit that is not known. */
export function expectFolders(session: ObjectSession, folders: readonly string[]): void {
  keptFor(session).above = folders;
}

/** Null: no tree, or larger than was asked for. */
function keepTree(session: ObjectSession, { of, path }: FolderName, object: ReadObject | null): TreeObject | null {
  if (object?.type !== "tree" || object.content === null) return null;
  const kept = keptFor(session);
  const { trees, treeIds } = kept;
  if (object.bytes > treeBytesKept) return trees.get(object.id) ?? createTreeObject(object.id, object.content);
  const tree = trees.get(object.id) ?? createTreeObject(object.id, copyOf(object.content));
  if (!trees.has(object.id)) {
    if (kept.treeBytes + object.bytes > bytesKept || trees.size >= treesKept) {
      trees.clear();
      kept.treeBytes = 0;
    }
    trees.set(object.id, tree);
    kept.treeBytes += object.bytes;
  }
  keep(treeIds, `${of}:${path}`, object.id, namesKept);
  return tree;
}

/** What git printed came in chunks: a part of one would keep all of it in memory. */
function copyOf(bytes: Buffer): Buffer {
  return Buffer.from(bytes);
}

/** Through the trees that are known; null: not known by them. */
function findKnown(kept: Kept, { of, path }: FolderName): ObjectId | null {
  const named = kept.treeIds.get(`${of}:${path}`);
  if (named !== undefined) return named;
  let id = kept.treeIds.get(`${of}:`) ?? of;
  for (const name of path === "" ? [] : path.split("/")) {
    const entry = kept.trees.get(id)?.find(name);
    if (entry?.type !== "tree") return null;
    id = entry.id;
  }
  return path === "" && !kept.trees.has(id) ? null : id;
}

function sayFolder({ of, path }: FolderName): string {
  return path === "" ? `${of}^{tree}` : `${of}:${path}`;
}

/** Null: git does not have it, it is long, or no commit. */
export async function readCommitText(session: ObjectSession, commit: ObjectId): Promise<string | null> {
  const { commits } = keptFor(session);
  if (!commits.has(commit)) await hasCommit(session, commit);
  return commits.get(commit) ?? null;
}

/** A folder of a commit or tree, or a tree by its id. */
export interface FolderName {
  readonly of: ObjectId;
  /** "": the folder itself. */
  readonly path: string;
}

/**
 * These folders, by one question for all that are not known. Null: there is none, git does not have it, or it is of more than
 * `limitBytes`. A repository may have such a folder, and no other is to suffer from it: the caller asks git itself then.
 */
export async function readFolders(
  session: ObjectSession,
  names: readonly FolderName[],
  limitBytes = treeBytesLimit,
): Promise<(TreeObject | null)[]> {
  const kept = keptFor(session);
  const ids = names.map((name) => findKnown(kept, name));
  const found = ids.map((id) => (id === null ? null : (kept.trees.get(id) ?? null)));
  const asked = names.flatMap((name, at) => (found[at] === null ? [{ name, at }] : []));
  if (asked.length === 0) return found;
  const guessed = asked.flatMap(({ name }) =>
    (kept.below.get(name.path) ?? []).map((path) => ({ of: name.of, path: `${name.path}/${path}` })),
  );
  const read = await session.read(
    [
      ...asked.map(({ name, at }) => (ids[at] === null || ids[at] === undefined ? sayFolder(name) : ids[at])),
      ...guessed.map(sayFolder),
    ],
    limitBytes,
  );
  for (const [at, name] of guessed.entries()) keepTree(session, name, read[asked.length + at] ?? null);
  for (const [place, { name, at }] of asked.entries()) found[at] = keepTree(session, name, read[place] ?? null);
  return found;
}

/**
 * From here on these folders are asked for together with the one that they lay in, whatever its tree is by then. Those whose
 * names git cannot be asked by are left out: a module is refused for such a name, which is no reason to ask for nothing else.
 */
export function expectBelow(session: ObjectSession, path: string, folders: readonly string[]): void {
  const { below } = keptFor(session);
  if (path !== "") keep(below, path, folders.filter(isAskable).slice(0, foldersGuessed), namesKept);
}

/** Id of a folder that was asked for before, or lies in one; null: not known. */
export function knownFolder(session: ObjectSession, name: FolderName): ObjectId | null {
  return findKnown(keptFor(session), name);
}

export function keptBlob(session: ObjectSession, blob: ObjectId): Buffer | null {
  return keptFor(session).blobs.get(blob) ?? null;
}

export function keepBlob(session: ObjectSession, blob: ObjectId, bytes: Buffer): void {
  const kept = keptFor(session);
  if (bytes.length > blobBytesKept || kept.blobs.has(blob)) return;
  if (kept.blobBytes + bytes.length > bytesKept || kept.blobs.size >= blobsKept) {
    kept.blobs.clear();
    kept.blobBytes = 0;
  }
  kept.blobs.set(blob, copyOf(bytes));
  kept.blobBytes += bytes.length;
}

/** Sizes of blobs, by one question for those that are not known. A blob that git does not have is a clone that lost it. */
export async function sizesOf(
  session: ObjectSession,
  blobs: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, number>> {
  const { sizes } = keptFor(session);
  const found = new Map<ObjectId, number>();
  const asked = new Set<ObjectId>();
  for (const blob of blobs) {
    const bytes = sizes.get(blob);
    if (bytes === undefined) asked.add(blob);
    else found.set(blob, bytes);
  }
  const infos: readonly (ObjectInfo | null)[] = await session.describe([...asked]);
  for (const [at, blob] of [...asked].entries()) {
    const info = infos[at] ?? null;
    if (info === null) throw new DamagedCloneError(`the clone has no blob ${blob}`);
    found.set(blob, info.bytes);
    keep(sizes, blob, info.bytes, sizesKept);
  }
  return found;
}
