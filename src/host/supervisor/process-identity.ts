import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { hasErrorCode } from "../../core/errors.ts";

const run = promisify(execFile);

/** One process and no other: a pid alone is used again by strangers. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Linux: ticks since boot, field 22 of /proc/<pid>/stat. */
  readonly started: string;
  /** Of the machine: ticks count from its boot. */
  readonly bootId: string;
}

/** Null when no such process is there, or only its corpse. */
export async function readIdentity(pid: number): Promise<ProcessIdentity | null> {
  const started = process.platform === "linux" ? await readStartTicks(pid) : await readStartText(pid);
  return started === null ? null : { pid, started, bootId: await readBootId() };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await readIdentity(identity.pid);
  return now !== null && now.started === identity.started && now.bootId === identity.bootId;
}

/** Alive, or its corpse: nobody else can have got its number yet. */
export async function holdsItsPid(identity: ProcessIdentity): Promise<boolean> {
  if (process.platform !== "linux") return isAlive(identity);
  const stat = await readStat(identity.pid);
  return stat !== null && stat.started === identity.started && (await isOfThisBoot(identity));
}

/** Pids of another boot say nothing about this one's processes. */
export async function isOfThisBoot(identity: ProcessIdentity): Promise<boolean> {
  return identity.bootId === (await readBootId());
}

async function readStartTicks(pid: number): Promise<string | null> {
  const stat = await readStat(pid);
  return stat === null || stat.state === "Z" || stat.state === "X" ? null : stat.started;
}

async function readStat(pid: number): Promise<{ readonly state: string; readonly started: string } | null> {
  let stat: string;
  try {
    stat = await readFile(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    // absence is the answer: a process that is gone has no stat (ESRCH: it went while it was read).
    if (hasErrorCode(error, "ENOENT", "ESRCH")) return null;
    throw error;
  }
  // Field 2 is the name in parentheses and may hold anything: count from its end. Then field 3 is the first.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields[0], fields[19]];
  return state === undefined || started === undefined ? null : { state, started };
}

async function readBootId(): Promise<string> {
  if (process.platform === "linux") return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  return (await run("sysctl", ["-n", "kern.bootsessionuuid"])).stdout.trim();
}

/** Elsewhere than on Linux (untried): the start time as `ps` prints it, in seconds. */
async function readStartText(pid: number): Promise<string | null> {
  try {
    const { stdout } = await run("ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
    const line = stdout.trim();
    return line === "" || line.startsWith("Z") ? null : line.replace(/^\S+\s+/, "");
  } catch (error) {
    // absence is the answer: ps ends with 1 when it knows no such process.
    if (error instanceof Error && "code" in error && error.code === 1) return null;
    throw error;
  }
}
