import type { ObjectId } from "../core/names.ts";
import { expectBelow, expectFolders, readFolders, sizesOf } from "./kept-objects.ts";
import type { ObjectSession } from "./object-session.ts";
import type { BlobPlace, TreeEntry } from "./repository.ts";
import { listDiffering, type NamedEntry, type TreeObject } from "./tree-object.ts";

/** More folders than this are listed by a process of their own. */
const foldersRead = 20;

/** The folders that these paths lie in; null: too many. */
function listAbove(paths: Iterable<string>): string[] | null {
  const above = new Set<string>();
  for (const path of paths) {
    if (path === ".") return null;
    above.add(path.slice(0, Math.max(path.lastIndexOf("/"), 0)));
    if (above.size > foldersRead) return null;
  }
  return [...above];
}

/** What lies in the folders above these paths; null: in too many of them, in a huge one, or in one that is not there. */
async function readAbove(
  session: ObjectSession,
  commit: ObjectId,
  paths: ReadonlySet<string>,
): Promise<(Omit<NamedEntry, "name"> & { readonly path: string })[] | null> {
  const above = listAbove(paths);
  if (above === null) return null;
  const folders = await readFolders(
    session,
    above.map((path) => ({ of: commit, path })),
  );
  const found: (Omit<NamedEntry, "name"> & { readonly path: string })[] = [];
  for (const [at, folder] of above.entries()) {
    const tree = folders[at] ?? null;
    if (tree === null) return null;
    for (const { name, ...entry } of tree.entries()) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (paths.has(path)) found.push({ ...entry, path });
    }
  }
  return found;
}

/** Null: git is to be asked. */
export async function readFoldersAt(
  session: ObjectSession,
  commit: ObjectId,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ObjectId> | null> {
  const read = await readAbove(session, commit, wanted);
  return read && new Map(read.flatMap(({ type, path, id }) => (type === "tree" ? [[path, id] as const] : [])));
}

/** Null: git is to be asked. */
export async function readBlobsAt(
  session: ObjectSession,
  commit: ObjectId,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, BlobPlace> | null> {
  const read = await readAbove(session, commit, wanted);
  if (read === null) return null;
  const files = read.filter(({ mode }) => mode === "100644" || mode === "100755");
  const sizes = await sizesOf(
    session,
    files.map(({ id }) => id),
  );
  return new Map(files.map(({ path, id }) => [path, { blob: id, bytes: sizes.get(id) ?? 0 }]));
}

const expectedBytes = 512 * 1024;

/** As `Repository` says. */
export async function listDifferingAt(
  session: ObjectSession,
  { was, is }: { readonly was: ObjectId; readonly is: ObjectId },
  folders: readonly string[],
): Promise<ReadonlyMap<string, ObjectId | null> | null> {
  const names = folders.flatMap((path) => [
    { of: was, path },
    { of: is, path },
  ]);
  const trees = await readFolders(session, names);
  // What is as large as that is not worth to be read in vain.
  expectFolders(
    session,
    folders.filter((_, at) => (trees[2 * at + 1]?.bytes.length ?? Number.POSITIVE_INFINITY) <= expectedBytes),
  );
  const differing = new Map<string, ObjectId | null>();
  for (const [at, folder] of folders.entries()) {
    const [before = null, now = null] = [trees[2 * at], trees[2 * at + 1]];
    if (before === null || now === null) return null;
    for (const [name, entry] of listDiffering(before, now))
      differing.set(folder === "" ? name : `${folder}/${name}`, entry?.type === "tree" ? entry.id : null);
  }
  return differing;
}

/** An entry has an id, a mode and a name: so many bytes at the least. Names may be long: git lists what is more. */
const entryBytes = 28 * 4;

/**
 * Folders and everything below them, as `git ls-tree -r -t -l` lists them: each depth by one question. Null: one is not
 * there, or they hold more entries than that; git is to list them then.
 */
export async function walkFolders(
  session: ObjectSession,
  tree: ObjectId,
  { paths, limit }: { readonly paths: readonly string[]; readonly limit: number },
): Promise<TreeEntry[] | null> {
  const read = new Map<ObjectId, TreeObject>();
  const limitBytes = limit * entryBytes;
  const roots = await readFolders(
    session,
    paths.map((path) => ({ of: tree, path })),
    limitBytes,
  );
  let entries = 0;
  for (let level: readonly (TreeObject | null)[] = roots; level.length > 0;) {
    const below = new Set<ObjectId>();
    for (const folder of level) {
      if (folder === null) return null;
      read.set(folder.id, folder);
      for (const { type, id } of folder.entries()) {
        entries += 1;
        if (type === "tree" && !read.has(id)) below.add(id);
      }
      if (entries > limit) return null;
    }
    const names = [...below].map((of) => ({ of, path: "" }));
    level = await readFolders(session, names, limitBytes);
  }
  const blobs = [...read.values()].flatMap((one) => one.entries().filter(({ type }) => type === "blob"));
  const sizes = await sizesOf(
    session,
    blobs.map(({ id }) => id),
  );
  const walked: TreeEntry[] = [];
  // One tree may lie at many places, and each of them counts: a few hundred bytes can name a thousand million files.
  const walk = (id: ObjectId, path: string): boolean => {
    walked.push({ mode: "040000", type: "tree", id, bytes: 0, path });
    for (const { name, ...entry } of read.get(id)?.entries() ?? []) {
      if (walked.length > limit) return false;
      const inside = `${path}/${name}`;
      if (entry.type !== "tree") walked.push({ ...entry, bytes: sizes.get(entry.id) ?? 0, path: inside });
      else if (!walk(entry.id, inside)) return false;
    }
    return true;
  };
  for (const [at, path] of paths.entries()) {
    const root = roots[at];
    const from = walked.length + 1;
    if (root === null || root === undefined || !walk(root.id, path)) return null;
    const inside = walked.slice(from).filter(({ type }) => type === "tree");
    expectBelow(
      session,
      path,
      inside.map((folder) => folder.path.slice(path.length + 1)),
    );
  }
  return walked;
}
