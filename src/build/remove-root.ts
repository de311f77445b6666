import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { errorCode } from "../core/errors.ts";
import { judgeError } from "./judge-error.ts";
import { joinRaw } from "./raw-path.ts";

/**
 * Removes a build's folder. Answers what could not be removed, for the log: it costs room and changes no verdict, so it
 * must not hide the one there is.
 */
export async function removeRoot(root: string): Promise<string> {
  try {
    await removeAll(root);
    return "";
  } catch (error) {
    if (judgeError(error) === null) throw error;
    return `the folder ${root} could not be removed: ${String(error)}\n`;
  }
}

async function removeAll(root: string): Promise<void> {
  try {
    await rm(root, { recursive: true, force: true });
  } catch (error) {
    if (errorCode(error) !== "EACCES" && errorCode(error) !== "EPERM") throw error;
    // A build may take rights away from its own folders.
    await openFolders(Buffer.from(root));
    await rm(root, { recursive: true, force: true });
  }
}

/** Links are not followed. */
async function openFolders(path: Buffer): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path, { encoding: "buffer" })) await openFolders(joinRaw(path, name));
}
