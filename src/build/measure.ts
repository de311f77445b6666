import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../core/errors.ts";
import { joinRaw } from "./raw-path.ts";

/** What a name alone takes: a million empty files are a full disk too. */
const entryBytes = 4096;

/** Removed while we look: a build may do that, to one file or folder, and the others still count. */
const goneCodes = ["ENOENT", "ENOTDIR"];

/** Bytes on disk below a folder; stops counting past the limit. */
export async function measureFolder(folder: string, limitBytes: number): Promise<number> {
  let bytes = 0;
  const waiting: Buffer[] = [Buffer.from(folder)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await whenThere(readdir(next, { withFileTypes: true, encoding: "buffer" }), goneCodes);
    for (const entry of entries ?? []) {
      const path = joinRaw(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      const found = entry.isFile() ? await whenThere(lstat(path), goneCodes) : null;
      bytes += found === null ? entryBytes : Math.max(entryBytes, found.blocks * 512);
      if (bytes > limitBytes) return bytes;
    }
  }
  return bytes;
}

/** A process and all below it with their threads, where no control group counts them. */
export async function measureProcesses(
  root: number,
): Promise<{ readonly processes: number; readonly memoryBytes: number }> {
  const parents = new Map<number, number>();
  const memory = new Map<number, number>();
  const threads = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readProcess(name);
    if (stat === null) continue;
    parents.set(Number(name), stat.parent);
    memory.set(Number(name), stat.memoryBytes);
    threads.set(Number(name), stat.threads);
  }
  let processes = 0;
  let memoryBytes = 0;
  for (const pid of parents.keys()) {
    let above: number | undefined = pid;
    while (above !== undefined && above !== root && above > 1) above = parents.get(above);
    if (above !== root) continue;
    processes += threads.get(pid) ?? 1;
    memoryBytes += memory.get(pid) ?? 0;
  }
  return { processes, memoryBytes };
}

/** Processes in a namespace of their own, by its first one: one look, where reading of each takes longer than a few live. */
export async function countInside(first: number): Promise<number> {
  const names = await whenThere(readdir(`/proc/${first}/root/proc`), ["ENOENT", "ESRCH", "EACCES"]);
  return (names ?? []).filter((name) => /^\d+$/.test(name)).length;
}

async function readProcess(pid: string): Promise<{ parent: number; memoryBytes: number; threads: number } | null> {
  const text = await whenThere(readFile(join("/proc", pid, "stat"), "utf8"), ["ENOENT", "ESRCH"]);
  if (text === null) return null;
  // The name may hold spaces and brackets: fields count from behind it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(fields[1]), memoryBytes: Number(fields[21]) * 4096, threads: Number(fields[17]) };
}
