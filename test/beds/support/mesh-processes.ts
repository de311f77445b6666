import { readdir, readFile, readlink } from "node:fs/promises";
import { whenThere } from "../../../src/core/errors.ts";

export interface MeshProcess {
  readonly pid: number;
  readonly words: readonly string[];
  readonly cwd: string;
}

/** A process that ends while it is looked at is no process any more. */
const gone = ["ENOENT", "ESRCH", "EACCES"];

/** Every process that works in this state folder or names it in its command line, whoever started it. */
export async function listMeshProcesses(state: string): Promise<readonly MeshProcess[]> {
  const found: MeshProcess[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const cwd = (await whenThere(readlink(`/proc/${name}/cwd`), gone)) ?? "";
    const line = (await whenThere(readFile(`/proc/${name}/cmdline`, "utf8"), gone)) ?? "";
    const words = line.split("\0");
    if (isInside(cwd, state) || words.some((word) => word.split("=").some((part) => isInside(part, state))))
      found.push({ pid: Number(name), words, cwd });
  }
  return found;
}

/** kill -9 of every one of them, again until none is left: what is killed may just have started another. */
export async function killMeshProcesses(state: string): Promise<number> {
  const killed = new Set<number>();
  for (let pass = 0; pass < 50; pass += 1) {
    const left = await listMeshProcesses(state);
    if (left.length === 0) return killed.size;
    for (const { pid } of left) {
      killed.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`processes of ${state} do not end`);
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
