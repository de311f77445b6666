import { rm } from "node:fs/promises";
import { join } from "node:path";
import { UnavailableError } from "../core/errors.ts";
import type { ObjectId } from "../core/names.ts";
import { discardClone, initialiseClone, listPacks, type PackFile, sumBytes } from "./bare-clone.ts";
import { branchRef, commitRef, fetchCommit, isWithinLimit, type Remote } from "./fetch-commit.ts";

interface TooLarge {
  readonly commit: ObjectId;
  readonly foundAtMs: number;
  /** That commit is left alone until then. One that was too large for a clone with nothing else never becomes smaller. */
  readonly untilMs: number;
}

/** By clone and branch. */
const tooLarge = new Map<string, TooLarge>();
/** Another commit of that branch is asked for after so long: each try is a whole clone. */
const tooLargeRestMs = 600_000;
/** By folder of the clone: when it was emptied to make room. Commits that fit one by one would drop each other at each look. */
const emptiedAtMs = new Map<string, number>();
const emptiedRestMs = 3_600_000;

/** A clone that is full of what was followed before is begun anew, once, before its source is said to be too large. */
export async function fetchWithinLimit(remote: Remote, branch: string, commit: ObjectId): Promise<void> {
  const { dir } = remote;
  const key = `${dir} ${branch}`;
  const found = tooLarge.get(key);
  if (found !== undefined && isLeftAlone(found, commit)) throw sayTooLarge(remote);
  const before = await listPacks(dir);
  const bytes = sumBytes(before);
  const hadRoom = bytes <= remote.cloneBytes;
  if (hadRoom && (await comesWithinLimit(remote, branch, commit))) return;
  if (bytes > 0) {
    const restsUntilMs = (emptiedAtMs.get(dir) ?? 0) + emptiedRestMs;
    if (Date.now() < restsUntilMs) {
      if (hadRoom) {
        tooLarge.set(key, { commit, foundAtMs: Date.now(), untilMs: restsUntilMs });
        await dropFetched(remote, { before, branch, commit });
      }
      throw sayTooLarge(remote);
    }
    emptiedAtMs.set(dir, Date.now());
    await emptyClone(remote);
    if (await comesWithinLimit(remote, branch, commit)) return;
  }
  tooLarge.set(key, { commit, foundAtMs: Date.now(), untilMs: Number.POSITIVE_INFINITY });
  await emptyClone(remote);
  throw sayTooLarge(remote);
}

function isLeftAlone(found: TooLarge, commit: ObjectId): boolean {
  const now = Date.now();
  return now - found.foundAtMs < tooLargeRestMs || (found.commit === commit && now < found.untilMs);
}

function sayTooLarge({ url, cloneBytes }: Remote): UnavailableError {
  return new UnavailableError(
    `repository ${url} was stopped: the clone is larger than the limit of ${cloneBytes} bytes`,
    "Move what is not source out of it: a commit without it is fetched by itself, within an hour. Where all of it is source: a larger `cloneBytes` in settings.json, and start the controller again.",
  );
}

async function emptyClone({ dir, session }: Remote): Promise<void> {
  await discardClone(dir);
  session.forget();
  await initialiseClone(dir);
}

/**
 * What one branch's fetch brought, or left when it was stopped, goes again: it would take the room of the other branches until
 * the clone may be emptied. No other fetch of ours is under way in it.
 */
async function dropFetched(
  { dir, session }: Remote,
  fetched: { readonly before: readonly PackFile[]; readonly branch: string; readonly commit: ObjectId },
): Promise<void> {
  const { before, branch, commit } = fetched;
  // First: a ref to what is not here would be damage.
  for (const ref of [commitRef(commit), branchRef(branch)]) await rm(join(dir, ref), { force: true });
  const had = new Set(before.map(({ name }) => name));
  for (const { name } of await listPacks(dir))
    if (!had.has(name)) await rm(join(dir, "objects", "pack", name), { force: true });
  session.forget();
}

/** False: with it the clone is larger than its limit. */
async function comesWithinLimit(remote: Remote, branch: string, commit: ObjectId): Promise<boolean> {
  try {
    await fetchCommit(remote, branch, commit);
  } catch (error) {
    if (!(error instanceof UnavailableError) || (await isWithinLimit(remote))) throw error;
    // absence is the answer: git was stopped for its size, which is said by whoever asks
    return false;
  }
  return isWithinLimit(remote);
}
