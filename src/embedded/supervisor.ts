import { UnavailableError } from "../core/errors.ts";
import { keepLogsSmall, type LogBounds } from "./keep-logs-small.ts";
import { pause } from "./pause.ts";
import { isAlive } from "./process-identity.ts";
import { formatSeconds, type Progress } from "./progress.ts";
import type { Running } from "./running.ts";

export interface Supervisor {
  /**
   * Starts something and keeps it: should it end by itself, `start` is called again, later each time. Rejects when the
   * first start does; later ones are only told. Answers the first. `start` is told when everything is to end: one that
   * takes long need not be waited for. `ending`: what it may wait for when it is to end.
   */
  keep<T extends Running>(name: string, start: (stopping: AbortSignal) => Promise<T>, ending?: string): Promise<T>;
  /** Ends everything, the youngest first. Goes on past what does not end, and throws that at last. */
  stopAll(): Promise<void>;
}

export interface SupervisorOptions {
  readonly progress: Progress;
  readonly lookEveryMs?: number;
  readonly firstDelayMs?: number;
  /** What takes longer to end is said to be ending. */
  readonly patienceMs?: number;
  /** Where those that are kept write their logs, which are kept small. */
  readonly logs?: { readonly folder: string } & Partial<LogBounds>;
}

interface Kept {
  readonly name: string;
  readonly start: (stopping: AbortSignal) => Promise<Running>;
  readonly ending: string | undefined;
  running: Running;
  watching: Promise<void>;
}

const patienceMs = 2_000;
const longestDelayMs = 30_000;
/** What lived this long has recovered: the next end begins with the shortest delay again. */
const recoveredAfterMs = 60_000;

/** Keeps the processes of one machine's mesh running while `up` runs. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const kept: Kept[] = [];
  const starting = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  const { progress, logs } = options;
  const logsKept = logs === undefined ? undefined : keepLogsSmall({ ...logs, progress, signal: stopping.signal });
  const keepOne: Supervisor["keep"] = async (name, start, ending) => {
    const running = await start(stopping.signal);
    const entry: Kept = { name, start, ending, running, watching: Promise.resolve() };
    kept.push(entry);
    entry.watching = watchOver(entry, options, stopping.signal);
    return running;
  };
  return {
    keep: async (name, start, ending) => {
      if (stopping.signal.aborted) throw new UnavailableError(`${name} is not started: everything is being stopped`);
      const started = keepOne(name, start, ending);
      starting.add(started);
      try {
        return await started;
      } finally {
        starting.delete(started);
      }
    },
    stopAll: async () => {
      stopping.abort();
      // What is just being started is stopped too.
      // absence is the answer: a start that fails has nothing to stop, and says why to who asked for it.
      await Promise.allSettled(starting);
      const failures: unknown[] = [];
      for (const entry of kept.toReversed()) {
        const from = performance.now();
        const slow = setTimeout(() => {
          options.progress(`${entry.name}: still ending${entry.ending === undefined ? "" : `: ${entry.ending}`}`);
        }, options.patienceMs ?? patienceMs);
        try {
          await entry.watching;
          await entry.running.stop();
          if (entry.running.identity !== null) {
            options.progress(`${entry.name}: stopped (${formatSeconds(performance.now() - from)})`);
          }
        } catch (error) {
          failures.push(error);
          options.progress(`${entry.name}: ${error instanceof Error ? error.message : String(error)}`);
        } finally {
          clearTimeout(slow);
        }
      }
      await logsKept;
      if (failures.length > 0) throw new AggregateError(failures, "not everything could be stopped");
    },
  };
}

async function watchOver(entry: Kept, options: SupervisorOptions, signal: AbortSignal): Promise<void> {
  const firstDelayMs = options.firstDelayMs ?? 250;
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    const { identity } = entry.running;
    if (identity === null) return;
    const from = performance.now();
    while (isAlive(identity)) {
      if (!(await pause(options.lookEveryMs ?? 500, signal))) return;
    }
    if (performance.now() - from > recoveredAfterMs) delayMs = firstDelayMs;
    options.progress(`${entry.name}: it ended by itself; starting it again`);
    while (!(await startAgain(entry, options, signal))) {
      if (!(await pause(delayMs, signal))) return;
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    }
    // One that starts and soon ends must not be started without a pause.
    if (!(await pause(delayMs, signal))) return;
    delayMs = Math.min(delayMs * 2, longestDelayMs);
  }
}

async function startAgain(entry: Kept, options: SupervisorOptions, stopping: AbortSignal): Promise<boolean> {
  try {
    entry.running = await entry.start(stopping);
    options.progress(`${entry.name}: runs again`);
    return true;
  } catch (error) {
    // absence is the answer: the failure is told, and the start is tried again after a pause.
    options.progress(`${entry.name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
