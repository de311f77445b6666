import { createHash } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnavailableError, whenThere } from "../core/errors.ts";
import { type ObjectId, objectIdSchema } from "../core/names.ts";
import { askRemote } from "./ask-remote.ts";
import { DamagedCloneError, discardClone, initialiseClone, noteUse, packBytes } from "./bare-clone.ts";
import { checkBranch } from "./check-branch.ts";
import { GitError, type GitConfig } from "./git.ts";
import { hasCommit } from "./kept-objects.ts";
import type { ObjectSession } from "./object-session.ts";
import { removeCutOff, tidyClone } from "./tidy-clone.ts";

export interface Remote {
  readonly url: string;
  readonly dir: string;
  readonly cloneBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly session: ObjectSession;
  /** Settings for git while it talks to the remote: see `remote-credentials.ts`. */
  readonly config: () => Promise<GitConfig>;
  /** Told that the clone could not be made smaller, which nobody waits for then. Without it whoever fetched waits, and has it. */
  readonly onUntidy: ((error: unknown) => Promise<void>) | undefined;
}

const fetchMs = 10 * 60_000;
/** Another process fetches into the same clone: its locks are waited for, and removed once no fetch can be that old. */
const lockPausesMs = [200, 400, 800, 1_600, 3_200, 6_400];
const lockAgeMs = fetchMs + 60_000;

/** One fetch at a time in one clone: two would fight for its lock on shallow commits. */
const fetching = new Map<string, Promise<void>>();

type Wanted = readonly { readonly branch: string; readonly commit: ObjectId }[];

export async function fetchCommits(remote: Remote, wanted: Wanted): Promise<void> {
  const { dir, signal } = remote;
  signal?.throwIfAborted();
  // What is here already waits for nobody: the one before may repack for minutes.
  if (fetching.has(dir) && (await untilAborted(areSeen(remote, wanted), signal))) return;
  const before = fetching.get(dir) ?? Promise.resolve();
  // Whether the one before us came to an end well is its own caller's matter.
  const start = (): Promise<boolean> => {
    signal?.throwIfAborted();
    return fetchMissing(remote, wanted);
  };
  const fetched = before.then(start, start);
  const mine = fetched.then((isMore) => (isMore ? tidy(remote) : undefined));
  fetching.set(dir, mine);
  const forget = (): void => {
    if (fetching.get(dir) === mine) fetching.delete(dir);
  };
  void mine.then(forget, forget);
  // The commits are here before the clone is made smaller, and whether that can be done is another matter.
  if (remote.onUntidy === undefined) await untilAborted(mine, signal);
  else await untilAborted(fetched, signal);
}

async function tidy(remote: Remote): Promise<void> {
  try {
    await tidyClone(remote);
  } catch (error) {
    if (remote.onUntidy === undefined) throw error;
    await remote.onUntidy(error);
  }
}

/** Also while it only waits for the one before. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function areSeen(remote: Remote, wanted: Wanted): Promise<boolean> {
  try {
    for (const { branch, commit } of wanted) if (!(await isHere(remote, branch, commit))) return false;
    return true;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // absence is the answer: the one before may be making the clone anew; it is asked again after that one
    return false;
  }
}

async function isHere(remote: Remote, branch: string, commit: ObjectId): Promise<boolean> {
  checkBranch(branch);
  objectIdSchema.parse(commit);
  const [has] = await Promise.all([hasCommit(remote.session, commit), noteUse(remote.dir, commit)]);
  return has;
}

/** Whether any was fetched. */
async function fetchMissing(remote: Remote, wanted: Wanted): Promise<boolean> {
  // It may have been discarded since it was opened.
  await initialiseClone(remote.dir);
  let isMore = false;
  for (const { branch, commit } of wanted) {
    if (await isHere(remote, branch, commit)) continue;
    await removeCutOff(remote.dir, lockAgeMs);
    await fetchWithinLimit(remote, branch, commit);
    isMore = true;
  }
  return isMore;
}

/** By clone and branch: what was too large for a clone that had nothing else. That commit never becomes smaller. */
const tooLarge = new Map<string, { readonly commit: ObjectId; readonly foundAtMs: number }>();
/** Another commit of that branch is asked for after so long: each try is a whole clone. */
const tooLargeRestMs = 600_000;
/** By folder of the clone: when it was emptied to make room. Commits that fit one by one would drop each other at each look. */
const emptiedAtMs = new Map<string, number>();
const emptiedRestMs = 3_600_000;

/** A clone that is full of what was followed before is begun anew, once, before its source is said to be too large. */
async function fetchWithinLimit(remote: Remote, branch: string, commit: ObjectId): Promise<void> {
  const { dir } = remote;
  const key = `${dir} ${branch}`;
  const found = tooLarge.get(key);
  if (found !== undefined && (found.commit === commit || Date.now() - found.foundAtMs < tooLargeRestMs))
    throw sayTooLarge(remote);
  const bytes = await packBytes(dir);
  if (bytes <= remote.cloneBytes && (await comesWithinLimit(remote, branch, commit))) return;
  if (bytes > 0) {
    if (Date.now() - (emptiedAtMs.get(dir) ?? 0) < emptiedRestMs) throw sayTooLarge(remote);
    emptiedAtMs.set(dir, Date.now());
    await emptyClone(remote);
    if (await comesWithinLimit(remote, branch, commit)) return;
  }
  tooLarge.set(key, { commit, foundAtMs: Date.now() });
  await emptyClone(remote);
  throw sayTooLarge(remote);
}

function sayTooLarge({ url, cloneBytes }: Remote): UnavailableError {
  return new UnavailableError(
    `repository ${url} was stopped: the clone is larger than the limit of ${cloneBytes} bytes`,
    "Move what is not source out of it: a commit without it is fetched by itself, within an hour.",
  );
}

async function emptyClone({ dir, session }: Remote): Promise<void> {
  await discardClone(dir);
  session.forget();
  await initialiseClone(dir);
}

/** False: with it the clone is larger than its limit. */
async function comesWithinLimit(remote: Remote, branch: string, commit: ObjectId): Promise<boolean> {
  try {
    await fetchMissingOne(remote, branch, commit);
  } catch (error) {
    if (!(error instanceof UnavailableError) || (await isWithinLimit(remote))) throw error;
    // absence is the answer: git was stopped for its size, which is said by whoever asks
    return false;
  }
  return isWithinLimit(remote);
}

async function isWithinLimit(remote: Remote): Promise<boolean> {
  return (await packBytes(remote.dir)) <= remote.cloneBytes;
}

async function fetchMissingOne(remote: Remote, branch: string, commit: ObjectId): Promise<void> {
  try {
    await fetchOne(remote, ["--depth=1"], `+${commit}:refs/mesh/commits/${commit}`);
  } catch (error) {
    if (isOwnDamage(error)) throw new DamagedCloneError(`clone ${remote.dir} cannot be fetched into`, { cause: error });
    if (!(error instanceof UnavailableError) || !refusesIds(error.cause)) throw error;
    // This server hands out branches only: then the branch, whole, as the commit may not be its tip any more.
    // By a hash: of `release` and `release/1` git keeps only one as refs, also where the other is long gone.
    const kept = createHash("sha256").update(branch, "utf8").digest("hex");
    await fetchOne(remote, [], `+refs/heads/${branch}:refs/mesh/branches/${kept}`);
  }
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
        watch: async () => ((await isWithinLimit(remote)) ? null : "was stopped: its clone is too large"),
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

export async function hasObject(session: ObjectSession, id: ObjectId): Promise<boolean> {
  const [found = null] = await session.describe([objectIdSchema.parse(id)]);
  return found !== null;
}
