import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, whenThere } from "../core/errors.ts";
import type { ObjectId } from "../core/names.ts";
import { GitError, runGit } from "./git.ts";

const localMs = 60_000;

/** A clone on this machine lost or changed bytes: nothing it says can be trusted, also not that something is absent. */
export class DamagedCloneError extends Error {
  override readonly name = "DamagedCloneError";
}

/** `--template=`: no hooks come from the machine. Made beside and renamed, so that a half-made clone is never used. */
export async function initialiseClone(dir: string): Promise<void> {
  if (await exists(join(dir, "HEAD"))) return;
  await mkdir(dirname(dir), { recursive: true });
  const fresh = `${dir}.${randomUUID()}`;
  await runGit({ args: ["init", "--quiet", "--bare", "--template=", "--end-of-options", fresh], waitMs: localMs });
  try {
    await rename(fresh, dir);
  } catch (error) {
    // Somebody else made it at the same moment: theirs is as good.
    const isMade = await exists(join(dir, "HEAD"));
    if (isMade) return await rm(fresh, { recursive: true, force: true });
    if (!["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
    // What is left of a clone.
    await discardClone(dir);
    await rename(fresh, dir);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await whenThere(stat(path))) !== null;
}

const damage =
  /is corrupt|is empty|corrupted|inflate|not a git repository|bad object|unable to read|cannot be accessed|index unavailable|too small|non-monotonic|does not match|garbage at end|bad tree|missing (blob|tree|commit)|could not (read|open) |unexpected end|not a (valid|tree) object|bad signature|wrong version/i;

/** Does this failure of a *local* read say that the clone is damaged? */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedCloneError) return true;
  return error instanceof GitError && error.stopped === null && damage.test(error.stderr);
}

/** Out of the way at once, then removed: the next fetch makes it anew. */
export async function discardClone(dir: string): Promise<void> {
  const aside = `${dir}.damaged-${randomUUID()}`;
  if ((await whenThere(rename(dir, aside).then(() => true))) === null) return;
  await rm(aside, { recursive: true, force: true });
}

export interface PackFile {
  readonly name: string;
  readonly bytes: number;
  readonly writtenMs: number;
}

export function sumBytes(packs: readonly PackFile[]): number {
  return packs.reduce((sum, pack) => sum + pack.bytes, 0);
}

/** Every file among the packs, with what is being written. */
export async function listPacks(dir: string): Promise<PackFile[]> {
  const folder = join(dir, "objects", "pack");
  const packs: PackFile[] = [];
  for (const name of (await whenThere(readdir(folder))) ?? []) {
    try {
      const { size, mtimeMs } = await stat(join(folder, name));
      packs.push({ name, bytes: size, writtenMs: mtimeMs });
    } catch (error) {
      // Renamed between the two calls.
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }
  return packs;
}

function refPath(dir: string, commit: ObjectId): string {
  return join(dir, "refs", "mesh", "commits", commit);
}

/** So that what is still asked for is the last to be dropped. */
export async function noteUse(dir: string, commit: ObjectId): Promise<void> {
  const now = new Date();
  await whenThere(utimes(refPath(dir, commit), now, now));
}
