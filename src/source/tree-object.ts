import type { ObjectId } from "../core/names.ts";
import { DamagedCloneError } from "./bare-clone.ts";
import type { TreeEntry } from "./repository.ts";

/** What a tree object says itself: no sizes. */
export type NamedEntry = Omit<TreeEntry, "path" | "bytes"> & { readonly name: string };

/** A tree as git keeps it. Taken apart when somebody asks: of a folder of thousands most often little is wanted. */
export interface TreeObject {
  readonly id: ObjectId;
  entries(): readonly NamedEntry[];
  /** The entry of that name; null: there is none. Without taking the others apart. */
  find(name: string): NamedEntry | null;
  readonly bytes: Buffer;
  /** Where each entry begins, and the end. */
  starts(): readonly number[];
  /** They are known already: those of a tree with the same names. */
  takeStarts(known: readonly number[]): void;
}

export function createTreeObject(id: ObjectId, bytes: Buffer): TreeObject {
  const idBytes = id.length / 2;
  let starts: readonly number[] | null = null;
  let entries: NamedEntry[] | null = null;
  const findStarts = (): readonly number[] => (starts ??= listStarts(bytes, idBytes));
  return {
    id,
    bytes,
    starts: findStarts,
    takeStarts: (known) => void (starts ??= known),
    entries: () =>
      (entries ??= findStarts()
        .slice(0, -1)
        .map((at) => parseEntry(bytes, at, idBytes))),
    find: (name) => {
      const wanted = Buffer.from(` ${name}\0`, "utf8");
      // An id may hold the same bytes: what counts is the name of the entry that they lie in.
      for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) {
        const entry = parseEntry(bytes, lastAtOrBefore(findStarts(), at), idBytes);
        if (entry.name === name) return entry;
      }
      return null;
    },
  };
}

/** `sorted` begins with 0. */
function lastAtOrBefore(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return sorted[low] ?? 0;
}

function listStarts(bytes: Buffer, idBytes: number): number[] {
  const starts: number[] = [];
  let at = 0;
  for (; at < bytes.length;) {
    starts.push(at);
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    if (space === -1 || end === -1) throw new DamagedCloneError("a tree cannot be read to its end");
    at = end + 1 + idBytes;
  }
  if (at !== bytes.length) throw new DamagedCloneError("a tree cannot be read to its end");
  starts.push(at);
  return starts;
}

function parseEntry(bytes: Buffer, at: number, idBytes: number): NamedEntry {
  const space = bytes.indexOf(0x20, at);
  const end = bytes.indexOf(0, space);
  const mode = bytes.toString("latin1", at, space).padStart(6, "0");
  const text = bytes.subarray(space + 1, end);
  const name = text.toString("utf8");
  return {
    mode,
    type: mode === "040000" ? "tree" : mode === "160000" ? "commit" : "blob",
    id: bytes.toString("hex", end + 1, end + 1 + idBytes),
    // A name that is not UTF-8 would come out as another name: keep it unmistakably unsafe, readers refuse it.
    name: name.includes("\ufffd") && !Buffer.from(name, "utf8").equals(text) ? `\0${text.toString("latin1")}` : name,
  };
}

/** So many entries are held against each other at once. */
const together = 64;

/**
 * Entries that are not what they were, as they are now; null: gone. Of two trees with the same names only the bytes of what
 * differs are looked at.
 */
export function listDiffering(was: TreeObject, is: TreeObject): ReadonlyMap<string, NamedEntry | null> {
  if (was.id === is.id) return new Map();
  return listMoved(was, is) ?? listByName(was, is);
}

/** Null: names came, went or changed their mode. */
function listMoved(was: TreeObject, is: TreeObject): Map<string, NamedEntry> | null {
  const idBytes = is.id.length / 2;
  if (was.bytes.length !== is.bytes.length) return null;
  const starts = was.starts();
  const moved = new Map<string, NamedEntry>();
  for (let from = 0; from < starts.length - 1; from += together) {
    const to = Math.min(from + together, starts.length - 1);
    const [first = 0, last = 0] = [starts[from], starts[to]];
    if (is.bytes.compare(was.bytes, first, last, first, last) === 0) continue;
    for (let at = from; at < to; at += 1) {
      const [start = 0, end = 0] = [starts[at], starts[at + 1]];
      const idAt = end - idBytes;
      if (is.bytes.compare(was.bytes, start, idAt, start, idAt) !== 0) return null;
      if (is.bytes.compare(was.bytes, idAt, end, idAt, end) === 0) continue;
      const entry = parseEntry(is.bytes, start, idBytes);
      moved.set(entry.name, entry);
    }
  }
  is.takeStarts(starts);
  return moved;
}

function listByName(was: TreeObject, is: TreeObject): Map<string, NamedEntry | null> {
  const left = new Map(was.entries().map((entry) => [entry.name, entry]));
  const differing = new Map<string, NamedEntry | null>();
  for (const entry of is.entries()) {
    const before = left.get(entry.name);
    left.delete(entry.name);
    if (before?.id !== entry.id || before.mode !== entry.mode) differing.set(entry.name, entry);
  }
  for (const name of left.keys()) differing.set(name, null);
  return differing;
}
