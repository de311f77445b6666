import { join } from "node:path";
import { UnavailableError } from "../core/errors.ts";
import { readPidFile, removePidFile, writePidFile, type Marks, type PidFile } from "./pid-file.ts";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { listProcesses } from "./processes.ts";
import type { Progress } from "./progress.ts";
import { readLogTail } from "./read-log-tail.ts";
import type { RunAs } from "./run-as.ts";
import type { Running } from "./running.ts";
import { spawnDetached } from "./spawn-detached.ts";
import { politeStop, stopProcess, type StopOptions } from "./stop-process.ts";
import { waitUntil } from "./wait-until.ts";

/** What is known of a program that a killed start may have left running. */
export interface LeftoverOptions {
  /** Names the pid file `<runFolder>/<name>.json` and the log `<logFolder>/<name>.log`. */
  readonly name: string;
  readonly runFolder: string;
  /** Absolute: a leftover is known by its program, its arguments and this folder. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Read before the start: what changes meanwhile is another mark. A leftover of others is ended, not adopted. */
  readonly marks?: Marks;
  /** Told of a leftover that is ended for its marks. */
  readonly progress?: Progress;
  readonly stopSteps?: StopOptions["steps"];
}

export interface ChildOptions extends LeftoverOptions {
  readonly logFolder: string;
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
}

/** Starts a program as leader of its own group, or adopts it. Throws when it is not ready in time; it is ended then. */
export async function startChild(options: ChildOptions): Promise<Running> {
  const argv = argvOf(options);
  const pidFile = pidFileOf(options);
  const leftover = await endOther(options);
  if (leftover !== null && options.leftover === "adopt") {
    if (await waitUntil(options.isWorking ?? options.isReady, Math.min(options.readyTimeoutMs, 10_000), 100)) {
      return describe(options, leftover, true);
    }
  }
  if (leftover !== null) await end(options, leftover.identity);
  for (const identity of await listProcesses({ cwd: options.cwd, argv })) await end(options, identity);

  await options.beforeStart?.();
  const logFile = join(options.logFolder, `${options.name}.log`);
  const child = await spawnDetached({ ...options, logFile });
  const entry: PidFile = { identity: child.identity, argv, marks: options.marks ?? {} };
  try {
    await writePidFile(pidFile, entry);
  } catch (error) {
    // Nobody would know of it.
    await end(options, entry.identity);
    throw error;
  }
  let how: string | null = null;
  void child.ended.then((text) => (how = text));
  const ready = async (): Promise<boolean> => how !== null || (await options.isReady());
  await waitUntil(ready, options.readyTimeoutMs, 50);
  if (how === null && (await options.isReady())) return describe(options, entry, false);
  const what =
    how === null ? `is not ready after ${options.readyTimeoutMs / 1000} s` : `ended at its start (${String(how)})`;
  await end(options, entry.identity);
  await removePidFile(pidFile);
  throw new UnavailableError(`${options.name} ${what}: ${await readLogTail(logFile)}`, `See ${logFile}.`);
}

/**
 * Ends what a killed start left running where it is not what would be started now, and answers what it leaves running. It is
 * asked of the marks that are given: with some of them also before the others can be known.
 */
export async function endOther(options: LeftoverOptions): Promise<PidFile | null> {
  const leftover = await readPidFile(pidFileOf(options));
  if (leftover === null) return null;
  const others = Object.entries(options.marks ?? {}).flatMap(([what, mark]) =>
    leftover.marks[what] === mark ? [] : [what],
  );
  if (others.length === 0 && isSame(leftover.argv, argvOf(options))) return leftover;
  const why = others.length === 0 ? "arguments" : others.join(" and ");
  options.progress?.(`${options.name}: one that runs was started with other ${why}; it is ended, and started anew`);
  await end(options, leftover.identity);
  return null;
}

function describe(options: ChildOptions, entry: PidFile, adopted: boolean): Running {
  return {
    identity: entry.identity,
    adopted,
    stop: async () => {
      await end(options, entry.identity);
      await removePidFile(pidFileOf(options));
    },
  };
}

async function end({ stopSteps }: LeftoverOptions, identity: ProcessIdentity): Promise<void> {
  if (isAlive(identity)) await stopProcess(identity, { steps: stopSteps ?? politeStop, group: true });
}

function argvOf({ file, args }: LeftoverOptions): readonly string[] {
  return [file, ...args];
}

function pidFileOf({ runFolder, name }: LeftoverOptions): string {
  return join(runFolder, `${name}.json`);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}
