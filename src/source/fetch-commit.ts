import { createHash } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnavailableError, whenThere } from "../core/errors.ts";
import type { ObjectId } from "../core/names.ts";
import { askRemote } from "./ask-remote.ts";
import { DamagedCloneError, listPacks, sumBytes } from "./bare-clone.ts";
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
  /** Told that the clone could not be made smaller, which nobody waits for then. Without it whoever fetched waits, and has it. */
  readonly onUntidy: ((error: unknown) => Promise<void>) | undefined;
}

const fetchMs = 10 * 60_000;
/** Another process fetches into the same clone: its locks are waited for, and removed once no fetch can be that old. */
const lockPausesMs = [200, 400, 800, 1_600, 3_200, 6_400];
export const lockAgeMs = fetchMs + 60_000;

/** UnavailableError where the remote does not give it; DamagedCloneError where the clone does not take it. */
export async function fetchCommit(remote: Remote, branch: string, commit: ObjectId): Promise<void> {
  try {
    await fetchOne(remote, ["--depth=1"], `+${commit}:${commitRef(commit)}`);
  } catch (error) {
    if (isOwnDamage(error)) throw new DamagedCloneError(`clone ${remote.dir} cannot be fetched into`, { cause: error });
    if (!(error instanceof UnavailableError) || !refusesIds(error.cause)) throw error;
    // This server hands out branches only: then the branch, whole, as the commit may not be its tip any more.
    await fetchOne(remote, [], `+refs/heads/${branch}:${branchRef(branch)}`);
  }
  if (!(await hasCommit(remote.session, commit))) {
    throw new UnavailableError(
      `repository ${remote.url} has no commit ${commit} (of branch ${branch}) any more`,
      "It was probably overwritten by a forced push: the next look finds the new tip.",
    );
  }
}

export function commitRef(commit: ObjectId): string {
  return `refs/mesh/commits/${commit}`;
}

/** By a hash: of `release` and `release/1` git keeps only one as refs, also where the other is long gone. */
export function branchRef(branch: string): string {
  return `refs/mesh/branches/${createHash("sha256").update(branch, "utf8").digest("hex")}`;
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

export async function isWithinLimit(remote: Remote): Promise<boolean> {
  return sumBytes(await listPacks(remote.dir)) <= remote.cloneBytes;
}
