import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode, whenThere } from "../core/errors.ts";

export interface GroupLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** Processors' worth of time. */
  readonly cpus: number;
}

/** One control group of the kernel: what is in it cannot use more, and ends as one. */
export interface ControlGroup {
  add(pid: number): Promise<void>;
  /** What the kernel stopped so far. */
  stopped(): Promise<{ readonly memory: boolean; readonly processes: boolean }>;
  /** Kills what is left in it and removes it. */
  remove(): Promise<void>;
}

export interface ControlGroups {
  readonly version: 1 | 2;
  /** Does the kernel limit processor time here too? */
  readonly cpu: boolean;
  /** Folders in which the groups are made. */
  readonly parents: readonly string[];
  create(limits: GroupLimits): Promise<ControlGroup>;
}

/** Against the default of 1024 (100 in version 2): a build takes what the controller leaves, so that it keeps its lease. */
const cpuShares = 128;
const cpuWeight = 12;
const cpuPeriodUs = 100_000;

/** Folders in which this process may make groups of its own; null where it may not, on this machine. */
export async function findControlGroups(): Promise<ControlGroups | null> {
  const [mounts, own] = [await readText("/proc/self/mounts"), await readText("/proc/self/cgroup")];
  if (mounts === null || own === null) return null;
  for (const candidate of listCandidates(mounts, own)) {
    if (candidate === null || !(await works(candidate))) continue;
    await removeLeft(candidate.parents);
    return candidate;
  }
  return null;
}

/** No build lasts that long. */
const leftAfterMs = 24 * 3600_000;

/** What was in the groups of a controller that was killed ended with it; the groups themselves stay. */
async function removeLeft(parents: readonly string[]): Promise<void> {
  for (const parent of parents) {
    for (const name of await readdir(parent)) {
      if (!/^mesh-build-\d+-/.test(name)) continue;
      const path = join(parent, name);
      const found = await whenThere(stat(path));
      if (found === null || Date.now() - found.mtimeMs < leftAfterMs) continue;
      // Busy: somebody's after all.
      await whenThere(rmdir(path), ["ENOENT", "EBUSY"]);
    }
  }
}

/** The best first: without limits on processor time rather than with none at all. */
function listCandidates(mounts: string, own: string): (ControlGroups | null)[] {
  return [true, false].flatMap((cpu) => [findVersion1(mounts, own, cpu), findVersion2(mounts, own, cpu)]);
}

async function works(groups: ControlGroups): Promise<boolean> {
  try {
    const group = await groups.create({ memoryBytes: 64 * 1024 ** 2, processes: 16, cpus: 1 });
    await group.remove();
    return true;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    // absence is the answer: read-only, not ours, or without controllers; then the sandbox says what it cannot promise
    return false;
  }
}

function findVersion1(mounts: string, own: string, cpu: boolean): ControlGroups | null {
  const memory = folderOf(mounts, own, "cgroup", "memory");
  const pids = folderOf(mounts, own, "cgroup", "pids");
  const time = cpu ? folderOf(mounts, own, "cgroup", "cpu") : null;
  if (memory === null || pids === null || (cpu && time === null)) return null;
  return {
    version: 1,
    cpu,
    parents: [memory, pids, ...(time === null ? [] : [time])],
    create: async (limits) => {
      const name = nameGroup();
      const folders = { memory: join(memory, name), pids: join(pids, name) };
      const timed = time === null ? null : join(time, name);
      return makeGroup({
        folders: [folders.memory, folders.pids, ...(timed === null ? [] : [timed])],
        settings: [
          [join(folders.memory, "memory.limit_in_bytes"), String(limits.memoryBytes)],
          [join(folders.pids, "pids.max"), String(limits.processes)],
          ...(timed === null ? [] : timeSettings1(timed, limits)),
        ],
        memoryEvents: join(folders.memory, "memory.oom_control"),
        pidsEvents: join(folders.pids, "pids.events"),
      });
    },
  };
}

function findVersion2(mounts: string, own: string, cpu: boolean): ControlGroups | null {
  const folder = folderOf(mounts, own, "cgroup2", "");
  if (folder === null) return null;
  return {
    version: 2,
    cpu,
    parents: [folder],
    create: async (limits) => {
      const group = join(folder, nameGroup());
      return makeGroup({
        folders: [group],
        settings: [
          [join(group, "memory.max"), String(limits.memoryBytes)],
          [join(group, "pids.max"), String(limits.processes)],
          ...(cpu ? timeSettings2(group, limits) : []),
        ],
        memoryEvents: join(group, "memory.events"),
        pidsEvents: join(group, "pids.events"),
      });
    },
  };
}

function nameGroup(): string {
  return `mesh-build-${process.pid}-${randomUUID()}`;
}

type Settings = readonly (readonly [string, string])[];

function timeSettings1(group: string, { cpus }: GroupLimits): Settings {
  return [
    [join(group, "cpu.shares"), String(cpuShares)],
    [join(group, "cpu.cfs_quota_us"), String(Math.round(cpus * cpuPeriodUs))],
  ];
}

function timeSettings2(group: string, { cpus }: GroupLimits): Settings {
  return [
    [join(group, "cpu.weight"), String(cpuWeight)],
    [join(group, "cpu.max"), `${Math.round(cpus * cpuPeriodUs)} ${cpuPeriodUs}`],
  ];
}

/** Our own group in one hierarchy, below which we make others. */
function folderOf(mounts: string, own: string, type: string, controller: string): string | null {
  for (const line of mounts.split("\n")) {
    const [, target = "", kind = "", options = ""] = line.split(" ");
    if (kind !== type || (controller !== "" && !options.split(",").includes(controller))) continue;
    for (const entry of own.split("\n")) {
      const [, controllers = "", path = "/"] = entry.split(":");
      if (controller === "" ? controllers === "" : controllers.split(",").includes(controller))
        return join(target, path);
    }
  }
  return null;
}

interface Group {
  readonly folders: readonly string[];
  readonly settings: Settings;
  readonly memoryEvents: string;
  readonly pidsEvents: string;
}

async function makeGroup(group: Group): Promise<ControlGroup> {
  const remove = async (): Promise<void> => {
    for (const folder of group.folders) await removeGroup(folder);
  };
  try {
    for (const folder of group.folders) await mkdir(folder);
    for (const [file, value] of group.settings) await writeFile(file, value, { flag: "r+" });
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    add: async (pid) => {
      for (const folder of group.folders) await writeFile(join(folder, "cgroup.procs"), String(pid));
    },
    stopped: async () => ({
      memory: (await readCount(group.memoryEvents, "oom_kill")) > 0,
      processes: (await readCount(group.pidsEvents, "max")) > 0,
    }),
    remove,
  };
}

/** A machine that is short of everything takes its time to bury what was killed. */
const endsWithinMs = 30_000;

async function removeGroup(folder: string): Promise<void> {
  for (let attempt = 0; attempt < endsWithinMs / 10; attempt += 1) {
    const pids = await readText(join(folder, "cgroup.procs"));
    if (pids === null) return;
    for (const pid of pids.split("\n")) if (pid !== "") killProcess(Number(pid));
    try {
      await rmdir(folder);
      return;
    } catch (error) {
      // Busy until the kernel has buried what we killed.
      if (errorCode(error) !== "EBUSY") throw error;
      await wait(10);
    }
  }
  throw new Error(`control group ${folder} does not empty`);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

async function readCount(file: string, key: string): Promise<number> {
  const text = await readText(file);
  const line = text?.split("\n").find((one) => one.startsWith(`${key} `));
  return line === undefined ? 0 : Number(line.slice(key.length + 1));
}

function readText(file: string): Promise<string | null> {
  return whenThere(readFile(file, "utf8"), ["ENOENT", "ENODEV"]);
}
