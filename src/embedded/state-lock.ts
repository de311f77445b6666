import { randomBytes } from "node:crypto";
import { link, rename, rm } from "node:fs/promises";
import { InputError } from "../core/errors.ts";
import { isIdentity } from "./pid-file.ts";
import { isAlive, isErrno, readProcessIdentity, type ProcessIdentity } from "./process-identity.ts";
import { isRecord, readJson } from "./read-json.ts";
import { writeAtomically } from "./write-atomically.ts";

export interface StateLock {
  release(): Promise<void>;
}

interface LockFile {
  readonly owner: ProcessIdentity;
  readonly token: string;
}

/**
 * One process at a time works on a state folder. Throws InputError naming the other's pid while that process lives;
 * the lock of one that was killed is taken over.
 */
export async function takeStateLock(path: string): Promise<StateLock> {
  const owner = readProcessIdentity(process.pid);
  if (owner === null) throw new Error("this process does not find itself");
  const mine: LockFile = { owner, token: randomBytes(8).toString("hex") };
  const own = `${path}.${mine.token}`;
  await writeAtomically(own, JSON.stringify(mine));
  try {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      if (await linkAs(own, path)) return { release: () => release(path, mine.token) };
      const held = await readJson(path, isLockFile);
      if (held === null) continue;
      if (isAlive(held.owner)) {
        throw new InputError(
          `another process (pid ${held.owner.pid}) works on this state folder (${path})`,
          `End it (Ctrl-C in its terminal, or kill ${held.owner.pid}), or use another folder with --state DIR.`,
        );
      }
      await removeStale(path, held.token, `${own}.stale`);
    }
  } finally {
    await rm(own, { force: true });
  }
  throw new InputError(`the lock ${path} could not be taken`, "Try again.");
}

/** A link is made by one only: that is the lock. */
async function linkAs(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    // absence is the answer: somebody has it.
    if (isErrno(error, "EEXIST")) return false;
    throw error;
  }
}

/** Two may find the same stale lock; the slower one must not take away what the faster one has just made. */
async function removeStale(path: string, token: string, aside: string): Promise<void> {
  try {
    await rename(path, aside);
  } catch (error) {
    // absence is the answer: the other one has removed it already.
    if (isErrno(error, "ENOENT")) return;
    throw error;
  }
  const taken = await readJson(aside, isLockFile);
  if (taken !== null && taken.token !== token) await linkAs(aside, path);
  await rm(aside, { force: true });
}

async function release(path: string, token: string): Promise<void> {
  const held = await readJson(path, isLockFile);
  if (held?.token === token) await rm(path, { force: true });
}

function isLockFile(value: unknown): value is LockFile {
  return isRecord(value) && isIdentity(value["owner"]) && typeof value["token"] === "string";
}
