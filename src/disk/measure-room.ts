import { stat, statfs } from "node:fs/promises";
import { whenThere } from "../core/errors.ts";
import type { TightDisk } from "../core/tight-disk.ts";

/** What a file system says of itself. `names`: how many files it can have; 0 where it does not count them. */
export interface Room {
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly freeNames: number;
  readonly totalNames: number;
}

const mebibyte = 1024 ** 2;
/** Less than this, and what needs room fails: a sixteenth of a small one. */
const noneBytes = 16 * mebibyte;
/** Less than this, and a person should look before it is none: a twentieth of a small one. */
const littleBytes = 1024 * mebibyte;

/** Null: there is room enough. */
export function judgeRoom({ freeBytes, totalBytes, freeNames, totalNames }: Room): TightDisk["room"] | null {
  // Some file systems count no names.
  const countsNames = totalNames > 0;
  if (freeBytes < Math.min(noneBytes, totalBytes / 16) || (countsNames && freeNames === 0)) return "none";
  if (freeBytes < Math.min(littleBytes, totalBytes / 20)) return "little";
  return countsNames && freeNames < totalNames / 100 ? "little" : null;
}

/** Of the file system that a folder lies on. */
export async function measureRoom(folder: string): Promise<Room> {
  const { bavail, blocks, bsize, files, ffree } = await statfs(folder);
  // A network's file system may say more than a number holds.
  const count = (value: number): number => Math.min(value, Number.MAX_SAFE_INTEGER);
  return {
    freeBytes: count(bavail * bsize),
    totalBytes: count(blocks * bsize),
    freeNames: count(ffree),
    totalNames: count(files),
  };
}

/** Those file systems below these folders that have little or no room, each once. A folder that is not there has none. */
export async function findTightDisks(folders: readonly string[]): Promise<TightDisk[]> {
  const byDevice = new Map<number, string[]>();
  for (const folder of folders) {
    const found = await whenThere(stat(folder), ["ENOENT", "ENOTDIR"]);
    if (found !== null) byDevice.set(found.dev, [...(byDevice.get(found.dev) ?? []), folder]);
  }
  const tight: TightDisk[] = [];
  for (const [first = "", ...others] of byDevice.values()) {
    const measured = await measureRoom(first);
    const room = judgeRoom(measured);
    if (room !== null) tight.push({ folders: [first, ...others].map(shorten), room, ...measured });
  }
  return tight;
}

/** Its end says more than its beginning. */
function shorten(folder: string): string {
  return folder.length <= 200 ? folder : `…${folder.slice(-199).toWellFormed()}`;
}
