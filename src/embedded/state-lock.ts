import { randomBytes } from "node:crypto";
import { link, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { hasErrorCode, InputError } from "../core/errors.ts";
import { isIdentity } from "./pid-file.ts";
import { isAlive, readProcessIdentity, type ProcessIdentity } from "./process-identity.ts";
import { isRecord, readJson } from "./read-json.ts";
import { writeDurably } from "../disk/write-durably.ts";

export interface StateLock {
  release(): Promise<void>;
}

interface LockFile {
  readonly owner: ProcessIdentity;
  readonly token: string;
}

const worksOnFolder = {
  does: "works on this state folder",
  next: (pid: number) => `End it (Ctrl-C in its terminal, or kill ${pid}), or use another folder with --state DIR.`,
};
const attempts = 200;
const pauseMs = 10;

/**
 * One process at a time works on a state folder, or does what `what` says. Throws InputError naming the other's pid while that
 * process lives; the lock of one that was killed is taken over.
 */
export async function takeStateLock(
  path: string,
  what: { readonly does: string; readonly next: (pid: number) => string } = worksOnFolder,
): Promise<StateLock> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (attempt > 0) await sleep(pauseMs);
    const answer = await tryLock(path);
    if (answer === "again") continue;
    if ("release" in answer) return answer;
    throw new InputError(`another process (pid ${answer.pid}) ${what.does} (${path})`, what.next(answer.pid));
  }
  throw new InputError(`the lock ${path} could not be taken`, "Try again.");
}

/** The pid of who lives and has the lock; null: nobody. For readers: nothing is taken. */
export async function readLockHolder(path: string): Promise<number | null> {
  const held = await readJson(path, isLockFile);
  return held !== null && isAlive(held.owner) ? held.owner.pid : null;
}

/** The lock, or who lives and has it. */
async function tryLock(path: string): Promise<StateLock | ProcessIdentity | "again"> {
  const owner = readProcessIdentity(process.pid);
  if (owner === null) throw new Error("this process does not find itself");
  const mine: LockFile = { owner, token: randomBytes(8).toString("hex") };
  const own = `${path}.${mine.token}`;
  await writeDurably(own, JSON.stringify(mine), { mode: 0o644 });
  try {
    if (await linkAs(own, path)) return { release: () => release(path, mine.token) };
  } finally {
    await rm(own, { force: true });
  }
  const held = await readJson(path, isLockFile);
  if (held === null) return "again";
  if (isAlive(held.owner)) return held.owner;
  await removeStale(path, held.token);
  return "again";
}

/**
 * Two may find the same stale lock, and the slower one must not take away what the faster one has just made: so the
 * right to remove the lock with this token is a lock itself, and no other lock ever has this token.
 */
async function removeStale(path: string, token: string): Promise<void> {
  const right = await tryLock(`${path}.${token}.remove`);
  if (right === "again" || !("release" in right)) return;
  await release(path, token);
  await right.release();
}

/** A link is made by one only: that is the lock. */
async function linkAs(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    // absence is the answer: somebody has it.
    if (hasErrorCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function release(path: string, token: string): Promise<void> {
  const held = await readJson(path, isLockFile);
  if (held?.token === token) await rm(path, { force: true });
}

function isLockFile(value: unknown): value is LockFile {
  return isRecord(value) && isIdentity(value["owner"]) && typeof value["token"] === "string";
}
