import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { link, open, rename, rm, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode } from "../core/errors.ts";

/** A writer holds the index for milliseconds; a lock this old belongs to one that was killed, or stopped. */
const staleLockMs = 30_000;
const lockWaitMs = 60_000;
/** Whoever is stopped for so long, so often, is better told. */
const mostAttempts = 5;

/** A lock file that holds a word of its owner: one that was stopped until others took it over finds that out. */
export interface HeldLock {
  /** Throws where it is another's by now: what was read is old, and nothing may be written. Right before each write. */
  expectHeld(): void;
}

class LostLockError extends Error {
  override readonly name = "LostLockError";
}

/** Runs while nobody else has the lock; from the beginning where it was lost meanwhile. */
export async function withLock<T>(
  path: string,
  work: (lock: HeldLock) => Promise<T>,
  { waitMs = lockWaitMs }: { readonly waitMs?: number } = {},
): Promise<T> {
  const lost = new LostLockError(
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
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    // absence is the answer: another one took it over and is done
    return null;
  }
}

async function waitForLock(path: string, waitMs: number): Promise<string> {
  const until = Date.now() + waitMs;
  for (;;) {
    const token = await takeLock(path);
    if (token !== null) return token;
    if (Date.now() > until) throw new Error(`the artifact store's index is locked by ${path}`);
    await wait(10 + Math.random() * 20);
  }
}

/** Null: another has it. */
async function takeLock(path: string): Promise<string | null> {
  const token = randomUUID();
  try {
    const file = await open(path, "wx");
    await file.writeFile(token).finally(() => file.close());
    return token;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  try {
    if (Date.now() - (await stat(path)).mtimeMs > staleLockMs) await removeStale(path);
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
    if (Date.now() - (await stat(aside)).mtimeMs <= staleLockMs) await link(aside, path);
  } catch (error) {
    // A third one has it by now: whose it was finds out, and begins again.
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    await rm(aside, { force: true });
  }
}
