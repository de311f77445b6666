import { join } from "node:path";
import { UnavailableError } from "../core/errors.ts";
import { readPidFile, removePidFile, writePidFile, type PidFile } from "./pid-file.ts";
import { isAlive } from "./process-identity.ts";
import { listProcesses } from "./processes.ts";
import { readLogTail } from "./read-log-tail.ts";
import type { RunAs } from "./run-as.ts";
import type { Running } from "./running.ts";
import { spawnDetached } from "./spawn-detached.ts";
import { politeStop, stopProcess, type StopOptions } from "./stop-process.ts";
import { waitUntil } from "./wait-until.ts";

export interface ChildOptions {
  /** Names the pid file `<runFolder>/<name>.json` and the log `<logFolder>/<name>.log`. */
  readonly name: string;
  readonly runFolder: string;
  readonly logFolder: string;
  /** Absolute: a leftover is known by its program, its arguments and this folder. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. No secret belongs in it that others on the machine must not see. */
  readonly env: NodeJS.ProcessEnv;
  readonly runAs?: RunAs | null;
  /** Asked until true. Must answer within seconds; false while it is not there yet. */
  readonly isReady: () => Promise<boolean>;
  readonly readyTimeoutMs: number;
  /** What to do with one that a killed start left and that is ready. */
  readonly leftover: "adopt" | "replace";
  /** Whether a leftover works, where that is another question than whether a new one is ready. */
  readonly isWorking?: () => Promise<boolean>;
  /** Just before a start, when nothing of ours runs any more; what it throws ends the start. */
  readonly beforeStart?: () => Promise<void>;
  readonly stopSteps?: StopOptions["steps"];
}

/** Starts a program as leader of its own group, or adopts it. Throws when it is not ready in time; it is ended then. */
export async function startChild(options: ChildOptions): Promise<Running> {
  const argv = [options.file, ...options.args];
  const pidFile = join(options.runFolder, `${options.name}.json`);
  const leftover = await readPidFile(pidFile);
  if (leftover !== null && options.leftover === "adopt" && isSame(leftover.argv, argv)) {
    if (await waitUntil(options.isWorking ?? options.isReady, Math.min(options.readyTimeoutMs, 10_000), 100)) {
      return describe(options, pidFile, leftover, true);
    }
  }
  if (leftover !== null) await end(options, leftover);
  for (const identity of await listProcesses({ cwd: options.cwd, argv })) await end(options, { identity, argv });

  await options.beforeStart?.();
  const logFile = join(options.logFolder, `${options.name}.log`);
  const child = await spawnDetached({ ...options, logFile });
  const entry: PidFile = { identity: child.identity, argv };
  try {
    await writePidFile(pidFile, entry);
  } catch (error) {
    // Nobody would know of it.
    await end(options, entry);
    throw error;
  }
  let how: string | null = null;
  void child.ended.then((text) => (how = text));
  const ready = async (): Promise<boolean> => how !== null || (await options.isReady());
  await waitUntil(ready, options.readyTimeoutMs, 50);
  if (how === null && (await options.isReady())) return describe(options, pidFile, entry, false);
  const what =
    how === null ? `is not ready after ${options.readyTimeoutMs / 1000} s` : `ended at its start (${String(how)})`;
  await end(options, entry);
  await removePidFile(pidFile);
  throw new UnavailableError(`${options.name} ${what}: ${await readLogTail(logFile)}`, `See ${logFile}.`);
}

function describe(options: ChildOptions, pidFile: string, entry: PidFile, adopted: boolean): Running {
  return {
    identity: entry.identity,
    adopted,
    stop: async () => {
      await end(options, entry);
      await removePidFile(pidFile);
    },
  };
}

async function end(options: ChildOptions, entry: PidFile): Promise<void> {
  if (isAlive(entry.identity)) {
    await stopProcess(entry.identity, { steps: options.stopSteps ?? politeStop, group: true });
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}
