import { randomUUID } from "node:crypto";
import { readlinkSync, rmSync } from "node:fs";
import { link, lstat, rename, rm, symlink } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode, UnavailableError } from "../core/errors.ts";

/** A writer holds the index for milliseconds; a lock this old belongs to one that was killed, or stopped. */
const staleLockMs = 30_000;
const lockWaitMs = 60_000;
/** Whoever is stopped for so long, so often, is better told. */
const mostAttempts = 5;

/** A link whose target is a word of its owner: one that was stopped until others took it over finds that out. */
export interface HeldLock {
  /** Throws where it is another's by now: what was read is old, and nothing may be written. Right before each write. */
  expectHeld(): void;
}

/** Others have the lock, for longer than anybody waits: nothing was changed, and doing it again may help. */
export class BusyLockError extends UnavailableError {
  constructor(message: string) {
    super(message, "see who else writes there, and whether its disk answers; a builder tries again by itself");
  }
}

/** Runs while nobody else has the lock; from the beginning where it was lost meanwhile. */
export async function withLock<T>(
  path: string,
  work: (lock: HeldLock) => Promise<T>,
  { waitMs = lockWaitMs }: { readonly waitMs?: number } = {},
): Promise<T> {
  const lost = new BusyLockError(
    `${path} was taken over by another writer, each time: this process stands still too long`,
  );
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const token = await waitForLock(path, waitMs);
    const isHeld = (): boolean => readOrNull(path) === token;
    try {
      const result = await work({
        expectHeld: () => {
          if (!isHeld()) throw lost;
        },
      });
      if (isHeld()) return result;
    } catch (error) {
      if (error !== lost) throw error;
    } finally {
      // Looked at and removed without a pause: what lies there may be another's.
      if (isHeld()) rmSync(path, { force: true });
    }
  }
  throw lost;
}

function readOrNull(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (!["ENOENT", "EINVAL"].includes(errorCode(error) ?? "")) throw error;
    // absence is the answer: another one took it over and is done, or has it by a file, as controllers did before
    return null;
  }
}

async function waitForLock(path: string, waitMs: number): Promise<string> {
  const until = Date.now() + waitMs;
  for (;;) {
    const token = await takeLock(path);
    if (token !== null) return token;
    if (Date.now() > until) throw new BusyLockError(`the artifact store's index is locked by ${path}`);
    await wait(10 + Math.random() * 20);
  }
}

/** Null: another has it. */
async function takeLock(path: string): Promise<string | null> {
  const token = randomUUID();
  try {
    // Made with its word at once, and by the folder alone: a file's bytes have no room where a full disk is to be emptied.
    await symlink(token, path);
    return token;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  try {
    if (Date.now() - (await lstat(path)).mtimeMs > staleLockMs) await removeStale(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  return null;
}

/** Moved first and looked at again: two may find it stale, and the slower one must not take away what the faster one made. */
async function removeStale(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside);
  try {
    if (Date.now() - (await lstat(aside)).mtimeMs <= staleLockMs) await link(aside, path);
  } catch (error) {
    // A third one has it by now: whose it was finds out, and begins again.
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    await rm(aside, { force: true });
  }
}
