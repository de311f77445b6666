import { chmod, lstat, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode, whenThere } from "../../core/errors.ts";

/**
 * Gives the host back what it may do in a folder of its own. Where the host is not root, its services are the same user and
 * can shut any folder of it to themselves and to the host. By path, since what is shut cannot be opened: a link in its place
 * leads to nothing that the service could not change itself. Of others' folders and of what is no folder nothing changes.
 */
export async function openFolder(folder: string): Promise<void> {
  const uid = process.geteuid?.();
  // Nothing is shut to root, and there another user's service must not choose what a path leads to.
  if (uid === 0) return;
  const stats = await whenThere(lstat(folder));
  if (stats === null || !stats.isDirectory() || stats.uid !== uid) return;
  if ((stats.mode & 0o700) !== 0o700) await chmod(folder, (stats.mode & 0o7777) | 0o700);
}

/** Removes a folder with all that is in it, also where folders in it are shut. One that is not there is removed. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (!hasErrorCode(error, "EACCES", "EPERM", "ENOTEMPTY")) throw error;
    await openTree(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

async function openTree(folder: string): Promise<void> {
  await openFolder(folder);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openTree(path.join(folder, entry.name));
}
