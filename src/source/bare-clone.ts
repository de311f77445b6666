import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, whenThere } from "../core/errors.ts";
import type { ObjectId } from "../core/names.ts";
import { GitError, runGit } from "./git.ts";

const localMs = 60_000;
const repackMs = 10 * 60_000;

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

export async function packBytes(dir: string): Promise<number> {
  return (await listPacks(dir)).reduce((sum, pack) => sum + pack.bytes, 0);
}

const weighed = new Map<string, { readonly folder: string; readonly bytes: number }>();

/** The same where nothing is being fetched: packs are counted again when one came or went, which its folder says. */
export async function restingPackBytes(dir: string): Promise<number> {
  const found = await whenThere(stat(join(dir, "objects", "pack")));
  const folder = found === null ? "gone" : `${found.ino} ${found.mtimeMs}`;
  const known = weighed.get(dir);
  if (known?.folder === folder) return known.bytes;
  const bytes = await packBytes(dir);
  weighed.set(dir, { folder, bytes });
  return bytes;
}

async function listPacks(dir: string): Promise<{ readonly name: string; readonly bytes: number }[]> {
  const folder = join(dir, "objects", "pack");
  const packs: { name: string; bytes: number }[] = [];
  for (const name of (await whenThere(readdir(folder))) ?? []) {
    try {
      packs.push({ name, bytes: (await stat(join(folder, name))).size });
    } catch (error) {
      // Renamed between the two calls.
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }
  return packs;
}

/** Each fetch keeps a pack and a ref of its own. Past so many they become one, with the refs that were used last. */
const packLimit = 50;
const keptRefs = 64;
const usedWithinMs = 3_600_000;

function refPath(dir: string, commit: ObjectId): string {
  return join(dir, "refs", "mesh", "commits", commit);
}

/** So that what is still asked for is the last to be dropped. */
export async function noteUse(dir: string, commit: ObjectId): Promise<void> {
  const now = new Date();
  await whenThere(utimes(refPath(dir, commit), now, now));
}

/** Bounds what the clone of a busy repository holds. What was dropped and is asked for again is fetched again. */
export async function tidyClone(dir: string): Promise<void> {
  const packs = (await listPacks(dir)).filter(({ name }) => name.endsWith(".pack"));
  if (packs.length <= packLimit) return;
  const folder = join(dir, "refs", "mesh", "commits");
  const refs: { name: string; usedMs: number }[] = [];
  for (const name of (await whenThere(readdir(folder))) ?? []) {
    const found = await whenThere(stat(join(folder, name)));
    if (found !== null) refs.push({ name, usedMs: found.mtimeMs });
  }
  const old = refs
    .toSorted((a, b) => b.usedMs - a.usedMs)
    .slice(keptRefs)
    .filter(({ usedMs }) => usedMs < Date.now() - usedWithinMs);
  for (const { name } of old) await rm(join(folder, name), { force: true });
  await runGit({ dir, args: ["repack", "-a", "-d", "-q"], waitMs: repackMs });
  await runGit({ dir, args: ["prune", "--expire=1.hour.ago"], waitMs: repackMs });
}
