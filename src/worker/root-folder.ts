import { mkdir, open, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { whenThere } from "../core/errors.ts";
import { writeDurably } from "../disk/write-durably.ts";
import { rootBytesLimit } from "../link/limits.ts";
import type { VersionedRoot } from "../link/root-chain.ts";

/** As many digits as a version that is a safe number has. */
const namePattern = /^([1-9][0-9]{0,14})\.dsse$/;

/** `keys/roots` beside `keys/root.dsse`: every published root by its version. Public documents. */
export function rootFolderOf(rootFile: string): string {
  return join(dirname(rootFile), "roots");
}

/** The versions that have a file, in no order; none where there is no folder yet. */
export async function listRootFiles(folder: string): Promise<number[]> {
  const names = (await whenThere(readdir(folder))) ?? [];
  return names.flatMap((name) => {
    const version = namePattern.exec(name)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/** Lowest first. */
export async function listRootFilesAfter(folder: string, version: number): Promise<number[]> {
  return (await listRootFiles(folder)).filter((one) => one > version).toSorted((a, b) => a - b);
}

/** Never more of a file than a root has: what is longer is no root, and is refused by who verifies it. */
export async function readRootFiles(folder: string, versions: readonly number[]): Promise<Map<number, Buffer>> {
  const found = new Map<number, Buffer>();
  for (const version of versions) found.set(version, await readStart(rootFileOf(folder, version), rootBytesLimit + 1));
  return found;
}

/** Whole or not at all. One that is there is replaced: what the records hold was verified. */
export async function saveRootFile(folder: string, { version, envelope }: VersionedRoot): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeDurably(rootFileOf(folder, version), envelope, { mode: 0o644 });
}

export function rootFileOf(folder: string, version: number): string {
  return join(folder, `${version}.dsse`);
}

async function readStart(file: string, limit: number): Promise<Buffer> {
  const handle = await open(file, "r");
  try {
    const buffer = Buffer.alloc(limit);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, bytes, limit - bytes, null);
      bytes += bytesRead;
      if (bytesRead === 0 || bytes === limit) return buffer.subarray(0, bytes);
    }
  } finally {
    await handle.close();
  }
}
