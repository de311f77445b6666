import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { basename } from "node:path";
import { hasErrorCode } from "../core/errors.ts";
import { readProcessIdentity, type ProcessIdentity } from "./process-identity.ts";

export interface ProcessMatch {
  readonly cwd: string;
  /** Program and arguments, exactly. Any when absent. */
  readonly argv?: readonly string[];
  /** Absolute: it runs this file, or calls itself by its name as the processes of PostgreSQL do: `postgres: walwriter`. */
  readonly program?: string;
}

/**
 * Processes by what they do, not by a file that says so: a start that was killed right after it started something had
 * no time to write its pid down. Linux only; elsewhere none is found, and a taken port says so.
 */
export async function listProcesses(match: ProcessMatch): Promise<readonly ProcessIdentity[]> {
  if (process.platform !== "linux") return [];
  const program = match.program === undefined ? {} : { program: await realpath(match.program) };
  const wanted = { ...match, ...program, cwd: await realpath(match.cwd) };
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
    if (wanted.argv === undefined && wanted.program === undefined) return true;
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8");
    if (wanted.argv !== undefined && words !== `${wanted.argv.join("\0")}\0`) return false;
    return wanted.program === undefined || (await runs(pid, words, wanted.program));
  } catch (error) {
    // absence is the answer: it is gone, or it is another user's and so not ours.
    if (hasErrorCode(error, "ENOENT", "EACCES") || hasErrorCode(error, "ESRCH")) return false;
    throw error;
  }
}

async function runs(pid: string, words: string, program: string): Promise<boolean> {
  if (words.startsWith(`${basename(program)}: `)) return true;
  // A package that was updated since has put another file there.
  return (await readlink(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, "") === program;
}
