import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { waitFor } from "../../beds/support/wait-for.ts";

/** One real process under faults: its output in a file, its end known. */
export interface ManagedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly isAlive: boolean;
  /** What ended it: a code, a signal, or null while it runs. */
  readonly end: string | null;
  readonly ended: Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Waits until it has written these words since its start. */
  hears(words: string, withinMs?: number): Promise<void>;
  /** What it wrote since its start. */
  text(): string;
}

export interface ProcessOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Words in front, such as `nsenter …`. They must end in an exec. */
  readonly inside?: readonly string[];
}

/** A Node program as a process of its own in its own group. What it writes goes straight into the file. */
export function startManaged({ name, args, logFile, env, inside = [] }: ProcessOptions): ManagedProcess {
  const out = openSync(logFile, "a");
  const from = statSync(logFile).size;
  const [file = process.execPath, ...rest] = [...inside, process.execPath, ...args];
  const child = spawn(file, rest, {
    stdio: ["ignore", out, out],
    detached: true,
    env: { ...process.env, ...env },
  });
  closeSync(out);
  if (child.pid === undefined) throw new Error(`${name} could not be started`);
  let end: string | null = null;
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(String(error)));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  }).then((how) => (end = how));
  const text = (): string => readFileSync(logFile).subarray(from).toString("utf8");
  return {
    name,
    pid: child.pid,
    logFile,
    get isAlive() {
      return end === null;
    },
    get end() {
      return end;
    },
    ended,
    signal: (signal) => void child.kill(signal),
    text,
    async hears(words, withinMs = 60_000) {
      await waitFor(
        `${name} says "${words}"`,
        async () => {
          if (text().includes(words)) return true;
          if (end !== null) throw new Error(`it ended (${end}): ${text().slice(-2_000)}`);
          return null;
        },
        withinMs,
      );
    },
  };
}
