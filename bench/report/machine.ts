import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { cpus, loadavg, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the numbers were made on. `null` versions: this run started no such server. */
export interface Machine {
  readonly commit: string;
  readonly date: string;
  readonly processors: string;
  readonly memory: string;
  readonly node: string;
  readonly postgresql: string;
  readonly temporal: string;
  readonly load: string;
}

export interface ServerVersions {
  postgresql: string | null;
  temporal: string | null;
}

export async function describeMachine(versions: ServerVersions, loadBefore: string): Promise<Machine> {
  const { stdout: commit } = await run("git", ["rev-parse", "--short", "HEAD"], { cwd: root });
  const { stdout: changed } = await run("git", ["status", "--porcelain", "--", "src"], { cwd: root });
  return {
    commit: `${commit.trim()}${changed === "" ? "" : " with uncommitted changes in src"}`,
    date: new Date().toISOString().slice(0, 16),
    processors: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    node: process.version,
    postgresql: versions.postgresql ?? "not used",
    temporal: versions.temporal ?? "not used",
    load: `${loadBefore} before, ${describeLoad()} after (1, 5 and 15 minutes; these runs are in it)`,
  };
}

export function describeLoad(): string {
  return loadavg()
    .map((value) => value.toFixed(2))
    .join(" ");
}

/** What /proc counts in, on every Linux there is. */
const ticksPerSecond = 100;

/** User and system time that a process has used so far, in seconds; from /proc, so Linux only. */
export async function readCpuSeconds(pid: number): Promise<number> {
  const [user = 0, system = 0] = await readTicks(pid);
  return (user + system) / ticksPerSecond;
}

/** The same of this process's children that have ended. */
export async function readChildrenCpuSeconds(): Promise<number> {
  const [, , user = 0, system = 0] = await readTicks(process.pid);
  return (user + system) / ticksPerSecond;
}

async function readTicks(pid: number): Promise<number[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name, in parentheses, may hold spaces: counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).map(Number);
}
