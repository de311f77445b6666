import { readdir, readFile } from "node:fs/promises";
import { hasErrorCode } from "../../core/errors.ts";

/** Living members of a process group. Elsewhere than on Linux: null, not known. */
export async function listGroup(group: number): Promise<readonly number[] | null> {
  if (process.platform !== "linux") return null;
  const members: number[] = [];
  for (const pid of await listPids()) {
    const stat = await readProcessFile(`/proc/${pid}/stat`);
    if (stat === null) continue;
    const [state, , itsGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (Number(itsGroup) === group && state !== "Z" && state !== "X") members.push(pid);
  }
  return members;
}

/** As in /proc: R, S, D …; null: it is gone, or not known here. */
export async function readState(pid: number): Promise<string | null> {
  const stat = process.platform === "linux" ? await readProcessFile(`/proc/${pid}/stat`) : null;
  return stat === null ? null : stat.charAt(stat.lastIndexOf(")") + 2);
}

/** Living processes with this setting in the environment they were started with. */
export async function listByEnvironment(setting: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return [];
  const found: number[] = [];
  for (const pid of await listPids()) {
    const environment = await readProcessFile(`/proc/${pid}/environ`);
    if (environment?.split("\0").includes(setting) === true) found.push(pid);
  }
  return found;
}

/** Of the environment it was started with; null: it has none, or has ended. */
export async function readVariable(pid: number, name: string): Promise<string | null> {
  const environment = await readProcessFile(`/proc/${pid}/environ`);
  const setting = environment?.split("\0").find((one) => one.startsWith(`${name}=`));
  return setting === undefined ? null : setting.slice(name.length + 1);
}

/** The session a process leads is named by its own pid: it is the one that was started. */
export async function isSessionLeader(pid: number): Promise<boolean> {
  const stat = await readProcessFile(`/proc/${pid}/stat`);
  if (stat === null) return false;
  const [, , , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(session) === pid;
}

async function listPids(): Promise<readonly number[]> {
  return (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name)).map(Number);
}

/** Null: it has ended in the meantime, or is somebody else's and so not one of ours. */
async function readProcessFile(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    // absence is the answer: it is gone, or another user's and so not ours.
    if (hasErrorCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return null;
    throw error;
  }
}
