import { constants } from "node:fs";
import { type FileHandle, open, readlink, stat, statfs } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { whenThere } from "../core/errors.ts";

/**
 * A folder that a run writes to, held open: how full its file system is can be read also after the run and its own
 * mounts are gone. That, and nothing that anybody prints, says that a disk was full.
 */
export interface DiskPlace {
  /** As the run calls it. */
  readonly name: string;
  /** Is there no room left that a build could work with? */
  isFull(): Promise<boolean>;
  close(): Promise<void>;
}

/** Little enough that what needs room fails: a sixteenth of a small one. */
const littleBytes = 16 * 1024 ** 2;

/** Null: it is not there. */
export async function openDiskPlace(path: string, name: string): Promise<DiskPlace | null> {
  const handle = await whenThere(open(path, constants.O_RDONLY | constants.O_DIRECTORY), ["ENOENT", "ENOTDIR"]);
  return handle === null ? null : describePlace(handle, name);
}

export interface InsideFolder {
  /** A file system in memory that only the run has. */
  readonly path: string;
  readonly bytes: number;
}

/** A look takes less than a millisecond, and bubblewrap some more to put its mounts there. */
const looks = 1000;
const tmpfsType = 0x01021994;

/**
 * Of the file systems that bubblewrap makes for one run: looked for in the run's own namespace, where they come up before
 * the command starts. Null: the run ended before, or this user may not look there.
 */
export async function openInsidePlace(pid: number, folder: InsideFolder): Promise<DiskPlace | null> {
  const ours = await whenThere(stat(folder.path));
  for (let look = 0; look < looks; look += 1) {
    const found = await lookInside(pid, folder, ours?.dev ?? null);
    if (found !== "not yet") return found;
    await wait(1);
  }
  return null;
}

async function lookInside(
  pid: number,
  { path, bytes }: InsideFolder,
  ourDevice: number | null,
): Promise<DiskPlace | "not yet" | null> {
  const above = `/proc/${pid}/root`;
  // absence is the answer: it ended already, or the kernel keeps its folders from this user
  if ((await whenThere(readlink(above), ["ENOENT", "ESRCH", "EACCES", "EPERM"])) === null) return null;
  const mayNotBe = ["ENOENT", "ENOTDIR", "ESRCH", "EACCES"];
  const handle = await whenThere(open(`${above}${path}`, constants.O_RDONLY | constants.O_DIRECTORY), mayNotBe);
  if (handle === null) return "not yet";
  const { type, blocks, bsize } = await statfs(`/proc/self/fd/${handle.fd}`);
  // Until the mounts are made it is the machine's own.
  const isOwn = (await handle.stat()).dev !== ourDevice;
  if (isOwn && type === tmpfsType && Math.abs(blocks * bsize - bytes) < bsize) return describePlace(handle, path);
  await handle.close();
  return "not yet";
}

function describePlace(handle: FileHandle, name: string): DiskPlace {
  return {
    name,
    isFull: async () => {
      const { bavail, blocks, bsize, files, ffree } = await statfs(`/proc/self/fd/${handle.fd}`);
      const little = Math.min(littleBytes, (blocks * bsize) / 16);
      // Some file systems count no names.
      return bavail * bsize < little || (files > 0 && ffree === 0);
    },
    close: () => handle.close(),
  };
}
