import { UnavailableError } from "../core/errors.ts";
import { pause } from "./pause.ts";
import { readPostmaster, type Postmaster } from "./postmaster.ts";
import { formatSeconds, type Progress } from "./progress.ts";
import { readLogTail } from "./read-log-tail.ts";

export interface WaitingOptions {
  readonly logFile: string;
  /** How long a server that does not say that it is starting may take to be ready. */
  readonly readyTimeoutMs?: number;
  /**
   * How long one that says so may take. After a power cut it replays its log and syncs its folder, and nothing of a repair
   * that was cut short is kept: a bound below what that takes here is one below which it never comes up again.
   */
  readonly repairTimeoutMs?: number;
  /** Ends the waiting: somebody no longer wants the server. */
  readonly signal?: AbortSignal;
  readonly progress: Progress;
}

const readyWithinMs = 60_000;
const repairedWithinMs = 2 * 3_600_000;
const sayEveryMs = 60_000;
/** `standby` is its word for replaying where hot_standby is off. */
const repairing: readonly (string | undefined)[] = ["starting", "standby"];

/** The server of this folder once it is ready. Null: it has ended. Throws UnavailableError when it is late, or not wanted any more. */
export async function waitUntilReady(
  dataFolder: string,
  hasEnded: () => boolean,
  options: WaitingOptions,
): Promise<Postmaster | null> {
  const { readyTimeoutMs = readyWithinMs, repairTimeoutMs = repairedWithinMs, progress } = options;
  const signal = options.signal ?? new AbortController().signal;
  const from = performance.now();
  let sayAtMs = readyTimeoutMs;
  for (;;) {
    // Asked first: what ends while its file is read is looked for once more.
    const ended = hasEnded();
    const postmaster = await readPostmaster(dataFolder);
    if (postmaster?.status === "ready") return postmaster;
    if (ended) return null;
    const elapsedMs = performance.now() - from;
    const isRepairing = repairing.includes(postmaster?.status);
    if (elapsedMs >= (isRepairing ? Math.max(repairTimeoutMs, readyTimeoutMs) : readyTimeoutMs)) {
      throw await describeFailure(dataFolder, options, `is not ready after ${formatSeconds(elapsedMs)}`);
    }
    if (elapsedMs >= sayAtMs) {
      const bound = formatSeconds(repairTimeoutMs);
      const tail = await readLogTail(options.logFile);
      progress(`PostgreSQL is still starting after ${formatSeconds(elapsedMs)}, it gets ${bound} in all: ${tail}`);
      sayAtMs = elapsedMs + sayEveryMs;
    }
    if (!(await pause(25, signal))) {
      throw await describeFailure(dataFolder, options, "was not waited for any longer");
    }
  }
}

/** Why there is no server, with what it said last. */
export async function describeFailure(
  dataFolder: string,
  { logFile }: Pick<WaitingOptions, "logFile">,
  how: string,
): Promise<UnavailableError> {
  return new UnavailableError(`PostgreSQL on ${dataFolder} ${how}: ${await readLogTail(logFile)}`, `See ${logFile}.`);
}
