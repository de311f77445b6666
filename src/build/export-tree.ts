import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ObjectId } from "../core/names.ts";
import type { TreeFile } from "../source/read-tree.ts";
import type { Repository } from "../source/repository.ts";

/**
 * Writes a tree's files into a new folder, by ourselves: git's own checkout would run filters. Paths were checked when
 * the tree was read; modes are git's two, whatever the umask here.
 */
export async function exportTree(repository: Repository, files: readonly TreeFile[], folder: string): Promise<void> {
  await makeFolder(folder);
  const made = new Set([folder]);
  const byBlob = new Map<ObjectId, TreeFile[]>();
  for (const file of files) byBlob.set(file.blob, [...(byBlob.get(file.blob) ?? []), file]);
  for await (const { blob, bytes } of repository.readBlobs([...byBlob.keys()])) {
    for (const file of byBlob.get(blob) ?? []) {
      const path = join(folder, file.path);
      await makeFolders(dirname(path), made);
      await writeFile(path, bytes, { flag: "wx" });
      await chmod(path, file.mode === "755" ? 0o755 : 0o644);
    }
  }
}

async function makeFolders(folder: string, made: Set<string>): Promise<void> {
  if (made.has(folder)) return;
  await makeFolders(dirname(folder), made);
  await makeFolder(folder);
  made.add(folder);
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder);
  await chmod(folder, 0o755);
}
