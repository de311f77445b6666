import { createHash } from "node:crypto";
import { type ObjectId, objectIdSchema } from "../core/names.ts";

/** One entry of one folder, as git has it. */
export interface FolderEntry {
  readonly mode: string;
  readonly type: "blob" | "commit" | "tree";
  readonly id: ObjectId;
  readonly name: string;
}

/** The folders whose entries are known: their paths relative to one tree, "" for that tree itself. */
export type FolderEntries = ReadonlyMap<string, readonly FolderEntry[]>;

/** "" and every folder on the way to these paths: whose entries `treeIdWithout` asks for. */
export function foldersAbove(paths: readonly string[]): string[] {
  const above = new Set([""]);
  for (const path of paths)
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1))
      above.add(path.slice(0, slash));
  return [...above];
}

export interface Removed {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/**
 * The id that git gives to a tree without these folders and files: the same for the same input, everywhere. Worked out
 * here, and written nowhere: two processes for each of thousands of modules would be most of a comparison.
 */
export function treeIdWithout(tree: ObjectId, folders: FolderEntries, removed: Removed): ObjectId {
  const gone = new Map<string, "blob" | "tree">([
    ...removed.folders.map((path) => [path, "tree"] as const),
    ...removed.files.map((path) => [path, "blob"] as const),
  ]);
  const touched = new Set(foldersAbove([...gone.keys()]));
  return idOf("", tree);

  function idOf(folder: string, id: ObjectId): ObjectId {
    const entries = folders.get(folder);
    if (entries === undefined) throw new Error(`the entries of folder ${folder} of tree ${tree} were not kept`);
    const kept = entries.flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (gone.get(path) === entry.type) return [];
      return [entry.type === "tree" && touched.has(path) ? { ...entry, id: idOf(path, entry.id) } : entry];
    });
    const isSame = kept.length === entries.length && kept.every((entry, at) => entry.id === entries[at]?.id);
    return isSame ? id : hashTree(kept, id.length);
  }
}

/** Entries in git's own order, which taking some out does not change. */
function hashTree(entries: readonly FolderEntry[], idLength: number): ObjectId {
  const body = Buffer.concat(
    entries.flatMap(({ mode, id, name }) => [
      Buffer.from(`${mode.replace(/^0/, "")} ${name}\0`, "utf8"),
      Buffer.from(id, "hex"),
    ]),
  );
  const hash = createHash(idLength === 40 ? "sha1" : "sha256");
  return objectIdSchema.parse(hash.update(`tree ${body.length}\0`).update(body).digest("hex"));
}
