import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnavailableError, whenThere } from "../core/errors.ts";
import { type ObjectId, objectIdSchema } from "../core/names.ts";
import { askRemote } from "./ask-remote.ts";
import { DamagedCloneError, initialiseClone, noteUse, packBytes, restingPackBytes, tidyClone } from "./bare-clone.ts";
import { checkBranch } from "./check-branch.ts";
import { GitError, type GitConfig } from "./git.ts";
import { hasCommit } from "./kept-objects.ts";
import type { ObjectSession } from "./object-session.ts";

export interface Remote {
  readonly url: string;
  readonly dir: string;
  readonly cloneBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly session: ObjectSession;
  /** Settings for git while it talks to the remote: see `remote-credentials.ts`. */
  readonly config: () => Promise<GitConfig>;
}

const fetchMs = 10 * 60_000;
/** Another process fetches into the same clone: its locks are waited for, and removed once no fetch can be that old. */
const lockPausesMs = [200, 400, 800, 1_600, 3_200, 6_400];
const lockAgeMs = fetchMs + 60_000;

/** One fetch at a time in one clone: two would fight for its lock on shallow commits. */
const fetching = new Map<string, Promise<void>>();

export async function fetchCommits(
  remote: Remote,
  wanted: readonly { branch: string; commit: ObjectId }[],
): Promise<void> {
  const { dir, signal } = remote;
  signal?.throwIfAborted();
  const before = fetching.get(dir) ?? Promise.resolve();
  // Whether the one before us came to an end well is its own caller's matter.
  const start = (): Promise<void> => {
    signal?.throwIfAborted();
    return fetchMissing(remote, wanted);
  };
  const mine = before.then(start, start);
  fetching.set(dir, mine);
  const forget = (): void => {
    if (fetching.get(dir) === mine) fetching.delete(dir);
  };
  void mine.then(forget, forget);
  await untilAborted(mine, signal);
}

/** Also while it only waits for the one before. */
async function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return await work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function fetchMissing(remote: Remote, wanted: readonly { branch: string; commit: ObjectId }[]): Promise<void> {
  // It may have been discarded since it was opened.
  const [, resting] = await Promise.all([initialiseClone(remote.dir), restingPackBytes(remote.dir)]);
  let bytes = resting;
  let fetched = false;
  for (const { branch, commit } of wanted) {
    checkBranch(branch);
    objectIdSchema.parse(commit);
    if (bytes <= remote.cloneBytes) {
      const [isHere] = await Promise.all([hasCommit(remote.session, commit), noteUse(remote.dir, commit)]);
      if (isHere) continue;
    }
    await fetchMissingOne(remote, branch, commit);
    bytes = await restingPackBytes(remote.dir);
    fetched = true;
  }
  if (fetched) await tidyClone(remote.dir);
}

async function fetchMissingOne(remote: Remote, branch: string, commit: ObjectId): Promise<void> {
  try {
    await fetchOne(remote, ["--depth=1"], `+${commit}:refs/mesh/commits/${commit}`);
  } catch (error) {
    if (isOwnDamage(error)) throw new DamagedCloneError(`clone ${remote.dir} cannot be fetched into`, { cause: error });
    if (!(error instanceof UnavailableError) || !refusesIds(error.cause)) throw error;
    // This server hands out branches only: then the branch, whole, as the commit may not be its tip any more.
    await fetchOne(remote, [], `+refs/heads/${branch}:refs/mesh/branches/${branch}`);
  }
  const tooLarge = await describeTooLarge(remote);
  if (tooLarge !== null)
    throw new UnavailableError(`repository ${remote.url} ${tooLarge}`, "Move what is not source out of it.");
  if (!(await hasCommit(remote.session, commit))) {
    throw new UnavailableError(
      `repository ${remote.url} has no commit ${commit} (of branch ${branch}) any more`,
      "It was probably overwritten by a forced push: the next look finds the new tip.",
    );
  }
}

async function fetchOne(remote: Remote, depth: readonly string[], refspec: string): Promise<void> {
  const flags = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"];
  const config = await remote.config();
  for (let at = 0; ; at += 1) {
    try {
      await askRemote(remote.url, {
        dir: remote.dir,
        args: ["fetch", ...flags, ...depth, "--end-of-options", remote.url, refspec],
        waitMs: fetchMs,
        signal: remote.signal,
        config,
        watch: () => describeTooLarge(remote),
      });
      return;
    } catch (error) {
      const pauseMs = lockPausesMs[at];
      const lock = error instanceof UnavailableError ? findLock(error.cause) : null;
      if (lock === null || pauseMs === undefined) throw error;
      await removeOldLock(remote.dir, lock);
      await sleep(pauseMs, undefined, remote.signal === undefined ? {} : { signal: remote.signal });
    }
  }
}

/** The lock that is in the way, as a path inside the clone; null: something else failed. */
function findLock(cause: unknown): string | null {
  if (!(cause instanceof GitError)) return null;
  const path = /Unable to create '([^'\n]+\.lock)': File exists/.exec(cause.stderr)?.[1];
  return path ?? (/shallow file has changed/.test(cause.stderr) ? "" : null);
}

/** Left behind by a process that was killed: no fetch lasts that long. */
async function removeOldLock(dir: string, lock: string): Promise<void> {
  if (!lock.startsWith(join(dir, "/"))) return;
  const found = await whenThere(stat(lock));
  if (found !== null && Date.now() - found.mtimeMs > lockAgeMs) await rm(lock, { force: true });
}

/** Not `expected 'packfile'`: a source that breaks off, or moves, in the middle of a fetch says nothing of what is here. */
const ownDamage =
  /^(?:error|fatal): (?!expected 'packfile').*(?:packfile|loose object|bad object|index file|not a git repository)/m;

/** The remote answered, and what is here already does not hold together. */
function isOwnDamage(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof GitError && cause.stopped === null && ownDamage.test(cause.stderr);
}

function refusesIds(cause: unknown): boolean {
  return cause instanceof GitError && /not our ref|unadvertised object|couldn't find remote ref/.test(cause.stderr);
}

async function describeTooLarge(remote: Remote): Promise<string | null> {
  const bytes = await packBytes(remote.dir);
  return bytes > remote.cloneBytes
    ? `was stopped: the clone is larger than the limit of ${remote.cloneBytes} bytes`
    : null;
}

export async function hasObject(session: ObjectSession, id: ObjectId): Promise<boolean> {
  const [found = null] = await session.describe([objectIdSchema.parse(id)]);
  return found !== null;
}
