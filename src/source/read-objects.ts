import { InputError } from "../core/errors.ts";
import type { ObjectId } from "../core/names.ts";
import { DamagedCloneError } from "./bare-clone.ts";
import type { ObjectSession } from "./object-session.ts";
import type { BlobPlace, TreeEntry } from "./repository.ts";

/** A folder of a million files is some 40 MB. */
const treeBytesLimit = 64 * 1024 * 1024;

/** What a tree object says itself: no sizes. */
type NamedEntry = Omit<TreeEntry, "path" | "bytes"> & { readonly name: string };

/** Null: there is no such folder, or git does not have it. `name`: `<commit>:<path>` or an id. */
export async function readFolder(
  session: ObjectSession,
  name: string,
): Promise<{ readonly id: ObjectId; readonly entries: readonly NamedEntry[] } | null> {
  const [found = null] = await session.describe([name]);
  if (found === null || found.type !== "tree") return null;
  const kept = keptTrees.get(session) ?? new Map<ObjectId, readonly NamedEntry[]>();
  keptTrees.set(session, kept);
  const known = kept.get(found.id);
  if (known !== undefined) return { id: found.id, entries: known };
  if (found.bytes > treeBytesLimit) throw new InputError(`tree ${found.id} is larger than ${treeBytesLimit} bytes`);
  const [bytes = null] = await session.read([found.id]);
  if (bytes === null) return null;
  const entries = parseTree(bytes, found.id.length / 2);
  if (kept.size >= treesKept) kept.clear();
  if (entries.length <= entriesKept) kept.set(found.id, entries);
  return { id: found.id, entries };
}

/** An id always names the same entries. The folders above modules are asked for again and again. */
const keptTrees = new WeakMap<ObjectSession, Map<ObjectId, readonly NamedEntry[]>>();
const treesKept = 16;
const entriesKept = 10_000;

function parseTree(bytes: Buffer, idBytes: number): NamedEntry[] {
  const entries: NamedEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    if (space === -1 || end === -1) throw new DamagedCloneError("a tree cannot be read to its end");
    const mode = bytes.toString("latin1", at, space).padStart(6, "0");
    const text = bytes.subarray(space + 1, end);
    const name = text.toString("utf8");
    entries.push({
      mode,
      type: mode === "040000" ? "tree" : mode === "160000" ? "commit" : "blob",
      id: bytes.toString("hex", end + 1, end + 1 + idBytes),
      // A name that is not UTF-8 would come out as another name: keep it unmistakably unsafe, readers refuse it.
      name: name.includes("\ufffd") && !Buffer.from(name, "utf8").equals(text) ? `\0${text.toString("latin1")}` : name,
    });
    at = end + 1 + idBytes;
  }
  return entries;
}

/** More folders than this are listed by a process of their own. */
const foldersRead = 20;

/** What lies in the folders above these paths; null: in too many of them, or in one that is not there. Git is asked then. */
async function readAbove(
  session: ObjectSession,
  commit: ObjectId,
  paths: ReadonlySet<string>,
): Promise<(Omit<NamedEntry, "name"> & { readonly path: string })[] | null> {
  const above = new Set([...paths].map((path) => path.slice(0, Math.max(path.lastIndexOf("/"), 0))));
  if (above.size > foldersRead || paths.has(".")) return null;
  const found: (Omit<NamedEntry, "name"> & { readonly path: string })[] = [];
  for (const folder of above) {
    const read = await readFolder(session, folder === "" ? `${commit}^{tree}` : `${commit}:${folder}`);
    if (read === null) return null;
    for (const { name, ...entry } of read.entries) {
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
  const infos = await session.describe(files.map(({ id }) => id));
  const found = new Map<string, BlobPlace>();
  for (const [at, { path, id }] of files.entries()) {
    const info = infos[at] ?? null;
    if (info === null) return null;
    found.set(path, { blob: id, bytes: info.bytes });
  }
  return found;
}

/**
 * A folder and everything below it, as `git ls-tree -r -t -l` lists it. Null: it is not there, or holds more entries than
 * that; git is to list it then.
 */
export async function walkFolder(
  session: ObjectSession,
  name: string,
  { path, limit }: { readonly path: string; readonly limit: number },
): Promise<TreeEntry[] | null> {
  const root = await readSized(session, name, limit);
  if (root === null) return null;
  const walked: TreeEntry[] = [{ mode: "040000", type: "tree", id: root.id, bytes: 0, path }];
  const open = [{ folder: path, at: 0, entries: root.entries }];
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const entry = inner.entries[inner.at];
    inner.at += 1;
    if (entry === undefined) {
      open.pop();
      continue;
    }
    const inside = `${inner.folder}/${entry.name}`;
    walked.push({ mode: entry.mode, type: entry.type, id: entry.id, bytes: entry.bytes, path: inside });
    if (entry.type !== "tree") continue;
    const below = await readSized(session, entry.id, limit - walked.length);
    if (below === null) return null;
    open.push({ folder: inside, at: 0, entries: below.entries });
  }
  return walked;
}

/** An entry has an id, a mode and a name: so many bytes at the least. */
const entryBytes = 28;

/** Null: it is not there, or larger. A blob that git does not have is a clone that lost it. */
async function readSized(
  session: ObjectSession,
  name: string,
  limit: number,
): Promise<{ readonly id: ObjectId; readonly entries: readonly (NamedEntry & { readonly bytes: number })[] } | null> {
  const [found = null] = await session.describe([name]);
  // Names may be long: what is refused here for its bytes is listed by git, and not lost.
  if (found === null || found.bytes > Math.max(limit, 0) * entryBytes * 4) return null;
  const folder = await readFolder(session, found.id);
  if (folder === null || folder.entries.length > limit) return null;
  const blobs = folder.entries.filter((entry) => entry.type === "blob");
  const infos = await session.describe(blobs.map((entry) => entry.id));
  const sizes = new Map(blobs.map((entry, at) => [entry, infos[at]?.bytes]));
  const entries = folder.entries.map((entry) => {
    const bytes = entry.type === "blob" ? sizes.get(entry) : 0;
    if (bytes === undefined) throw new DamagedCloneError(`the clone has no blob ${entry.id}`);
    return { ...entry, bytes };
  });
  return { id: found.id, entries };
}
