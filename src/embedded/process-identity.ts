import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hasErrorCode } from "../core/errors.ts";

/** A process beyond doubt. A pid alone is used again by strangers, and then a stop would kill them. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot on Linux (field 22 of its stat), a date's text on macOS. Only compared for equality. */
  readonly startTime: string;
  readonly bootId: string;
}

/** Null when there is no such process, or only its unreaped remains. */
export function readProcessIdentity(pid: number): ProcessIdentity | null {
  const startTime = process.platform === "linux" ? readLinuxStartTime(pid) : readStartTimeByPs(pid);
  return startTime === null ? null : { pid, startTime, bootId: readBootId() };
}

export function isAlive(identity: ProcessIdentity): boolean {
  const now = readProcessIdentity(identity.pid);
  return now !== null && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

/** The start time in a line of /proc/<pid>/stat; null for a zombie. The name in it may hold blanks and brackets. */
export function parseStat(stat: string): string | null {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields[0], fields[19]];
  if (startTime === undefined || !/^\d+$/.test(startTime))
    throw new Error(`not a process's stat: ${stat.slice(0, 80)}`);
  return state === "Z" || state === "X" ? null : startTime;
}

function readLinuxStartTime(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    // absence is the answer: a process that is gone has no stat (ESRCH: it went while it was read).
    if (hasErrorCode(error, "ENOENT", "ESRCH")) return null;
    throw error;
  }
  return parseStat(stat);
}

/** For macOS; untried there. */
function readStartTimeByPs(pid: number): string | null {
  try {
    const [state, ...start] = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/);
    return state === undefined || state.startsWith("Z") ? null : start.join(" ");
  } catch (error) {
    // absence is the answer: ps ends with 1 when it knows no such process.
    if (error instanceof Error && "status" in error && error.status === 1) return null;
    throw error;
  }
}

let bootId: string | undefined;

function readBootId(): string {
  bootId ??=
    process.platform === "linux"
      ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
      : execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
  return bootId;
}
