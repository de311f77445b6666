import { type ObjectId, objectIdSchema } from "../core/names.ts";
import { initialiseClone, noteUse } from "./bare-clone.ts";
import { checkBranch } from "./check-branch.ts";
import { lockAgeMs, type Remote } from "./fetch-commit.ts";
import { fetchWithinLimit } from "./fetch-within-limit.ts";
import { GitError } from "./git.ts";
import { hasCommit } from "./kept-objects.ts";
import type { ObjectSession } from "./object-session.ts";
import { removeCutOff, tidyClone } from "./tidy-clone.ts";

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

export async function hasObject(session: ObjectSession, id: ObjectId): Promise<boolean> {
  const [found = null] = await session.describe([objectIdSchema.parse(id)]);
  return found !== null;
}
