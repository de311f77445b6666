import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { hasErrorCode } from "../core/errors.ts";
import { readProcessIdentity, type ProcessIdentity } from "./process-identity.ts";

export interface ProcessMatch {
  readonly cwd: string;
  /** Program and arguments, exactly. Any when absent. */
  readonly argv?: readonly string[];
}

/**
 * Processes by what they do, not by a file that says so: a start that was killed right after it started something had
 * no time to write its pid down. Linux only; elsewhere none is found, and a taken port says so.
 */
export async function listProcesses(match: ProcessMatch): Promise<readonly ProcessIdentity[]> {
  if (process.platform !== "linux") return [];
  const wanted = { ...match, cwd: await realpath(match.cwd) };
  const found: ProcessIdentity[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid || !(await matches(name, wanted))) continue;
    const identity = readProcessIdentity(Number(name));
    if (identity !== null) found.push(identity);
  }
  return found;
}

/** Whether this very process works in `cwd`. True where that cannot be looked at (macOS). */
export async function worksIn(pid: number, cwd: string): Promise<boolean> {
  return process.platform !== "linux" || (await matches(String(pid), { cwd: await realpath(cwd) }));
}

async function matches(pid: string, wanted: ProcessMatch): Promise<boolean> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== wanted.cwd) return false;
    if (wanted.argv === undefined) return true;
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")) === `${wanted.argv.join("\0")}\0`;
  } catch (error) {
    // absence is the answer: it is gone, or it is another user's and so not ours.
    if (hasErrorCode(error, "ENOENT", "EACCES") || hasErrorCode(error, "ESRCH")) return false;
    throw error;
  }
}
