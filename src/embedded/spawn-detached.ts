import { spawn } from "node:child_process";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { UnavailableError } from "../core/errors.ts";
import { rotateLog } from "../disk/rotate-log.ts";
import { logBounds } from "./keep-logs-small.ts";
import { readProcessIdentity, type ProcessIdentity } from "./process-identity.ts";
import type { RunAs } from "./run-as.ts";

export interface SpawnOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly runAs?: RunAs | null;
}

export interface SpawnedProcess {
  readonly identity: ProcessIdentity;
  /** Resolves with what is known of the end, such as `code 1` or `SIGKILL`. Never rejects. */
  readonly ended: Promise<string>;
}

/**
 * Starts a program in a session of its own: a Ctrl-C in the terminal does not reach it, and it outlives us. Output is
 * appended to the log file, the former one kept beside it once it has grown.
 */
export async function spawnDetached(options: SpawnOptions): Promise<SpawnedProcess> {
  await mkdir(dirname(options.logFile), { recursive: true });
  await rotateLog(options.logFile, logBounds.keptBytes);
  const log = await open(options.logFile, "a");
  try {
    const child = spawn(options.file, options.args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      ...options.runAs,
    });
    const ended = new Promise<string>((resolve) => {
      child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
      child.once("error", (error) => resolve(error.message));
    });
    child.unref();
    const identity = child.pid === undefined ? null : readProcessIdentity(child.pid);
    if (identity === null) throw new UnavailableError(`${options.file} did not start: ${await ended}`, seeLog(options));
    return { identity, ended };
  } finally {
    await log.close();
  }
}

function seeLog(options: SpawnOptions): string {
  return `See ${options.logFile}.`;
}
