import { InputError } from "../core/errors.ts";
import type { ObjectId } from "../core/names.ts";
import { DamagedCloneError } from "./bare-clone.ts";
import type { ObjectInfo, ObjectSession, ReadObject } from "./object-session.ts";
import { createTreeObject, type TreeObject } from "./tree-object.ts";

/** A folder of a million files is some 40 MB. */
const treeBytesLimit = 64 * 1024 * 1024;
/** A message may be as long as a file; of a longer one git itself cuts the subject out. */
const commitBytesLimit = 1024 * 1024;

const treesKept = 64;
const treeBytesKept = 1024 * 1024;
const namesKept = 1_000;
const sizesKept = 20_000;

/**
 * What was read of one clone. A commit, a tree or a size never changes under its id, so it is kept for the next question;
 * whether the clone has it still is another question, and `hasCommit` asks git.
 */
interface Kept {
  readonly trees: Map<ObjectId, TreeObject>;
  /** By `<commit>:<path>`. */
  readonly treeIds: Map<string, ObjectId>;
  readonly commits: Map<ObjectId, string>;
  readonly sizes: Map<ObjectId, number>;
  /** Folders that were asked for of two commits: of the next commit they are wanted too. */
  above: readonly string[];
}

const keptOf = new WeakMap<ObjectSession, Kept>();

function keptFor(session: ObjectSession): Kept {
  const kept = keptOf.get(session) ?? {
    trees: new Map(),
    treeIds: new Map(),
    commits: new Map(),
    sizes: new Map(),
    above: [],
  };
  keptOf.set(session, kept);
  return kept;
}

function keep<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  if (map.size >= limit && !map.has(key)) map.clear();
  map.set(key, value);
}

/** Does git have it? What it is, is kept. */
export async function hasCommit(session: ObjectSession, commit: ObjectId): Promise<boolean> {
  const { commits, treeIds, above } = keptFor(session);
  if (commits.has(commit)) return (await session.describe([commit]))[0] !== null;
  const folders = above.map((path) => ({ of: commit, path }));
  const [found = null, ...trees] = await session.read([commit, ...folders.map(sayFolder)], commitBytesLimit);
  if (found === null) return false;
  if (found.type !== "commit" || found.content === null) return true;
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
  const { trees, treeIds } = keptFor(session);
  const tree = trees.get(object.id) ?? createTreeObject(object.id, object.content);
  if (object.bytes > treeBytesKept) return tree;
  keep(trees, object.id, tree, treesKept);
  keep(treeIds, `${of}:${path}`, object.id, namesKept);
  return tree;
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
 * These folders, by one question for all that are not known. Null: there is none, or git does not have it. InputError for
 * one of more than `limitBytes`, or null where `orNull` says so.
 */
export async function readFolders(
  session: ObjectSession,
  names: readonly FolderName[],
  { limitBytes = treeBytesLimit, orNull = false }: { readonly limitBytes?: number; readonly orNull?: boolean } = {},
): Promise<(TreeObject | null)[]> {
  const { trees, treeIds } = keptFor(session);
  const found = names.map(({ of, path }) => {
    const id = treeIds.get(`${of}:${path}`) ?? (path === "" ? of : "");
    return trees.get(id) ?? null;
  });
  const asked = names.flatMap((name, at) => (found[at] === null ? [{ name, at }] : []));
  if (asked.length === 0) return found;
  const read = await session.read(
    asked.map(({ name }) => sayFolder(name)),
    limitBytes,
  );
  for (const [place, { name, at }] of asked.entries()) {
    const object = read[place] ?? null;
    if (object?.type === "tree" && object.content === null && !orNull)
      throw new InputError(`tree ${object.id} is larger than ${limitBytes} bytes`);
    found[at] = keepTree(session, name, object);
  }
  return found;
}

/** Id of a folder whose name was asked for before; null: not known. */
export function knownFolder(session: ObjectSession, { of, path }: FolderName): ObjectId | null {
  return keptFor(session).treeIds.get(`${of}:${path}`) ?? null;
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
