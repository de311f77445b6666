import { chown, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** The user a program of ours is started as. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody`: it has an entry in every passwd file, and PostgreSQL refuses a uid that has none. */
export const nobody: RunAs = { uid: 65534, gid: 65534 };

/** Who PostgreSQL runs as: it refuses root. Null = as ourselves. */
export function readRunAs(): RunAs | null {
  return process.getuid?.() === 0 ? nobody : null;
}

/** Whether `user` can get to `path`: every folder on the way must let it through. Access lists are not looked at. */
export async function isReachableBy(user: RunAs, path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = await stat(folder);
    const bit = found.uid === user.uid ? 0o100 : found.gid === user.gid ? 0o010 : 0o001;
    if ((found.mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** A folder that belongs to that user alone. */
export async function makeFolderFor(user: RunAs | null, path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (user !== null) await chown(path, user.uid, user.gid);
}
