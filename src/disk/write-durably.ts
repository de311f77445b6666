import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";

export interface FileAttributes {
  /** Bits, e.g. 0o600; whatever the umask is. */
  readonly mode: number;
  /** Undefined: stays the process's own. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /**
   * `one`: nobody else writes in this folder, so the temporary name is a fixed one, and what a kill left behind is replaced
   * by the next write instead of piling up. `many`: processes may write it at once; the last one stays, whole.
   */
  readonly writers?: "one" | "many";
}

/**
 * The whole file or nothing, also over a power cut: temp beside it, fsync, rename, fsync of the folder. The mode and
 * the owner are set before the name is. On failure the temp file is removed and the error is the system's own.
 */
export async function writeDurably(
  file: string,
  bytes: Uint8Array | string,
  { mode, owner, writers = "many" }: FileAttributes,
): Promise<void> {
  const half = writers === "one" ? "mesh-new" : `${randomBytes(6).toString("hex")}.half`;
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${half}`);
  if (writers === "one") await rm(temporary, { force: true });
  try {
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
    const handle = await open(temporary, flags, 0o600);
    try {
      await handle.writeFile(bytes);
      if (owner !== undefined) await handle.chown(owner.uid, owner.gid);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw nameFile(error, file);
  }
  await syncFolder(path.dirname(file));
}

/** What fails on an open file names none: a full disk would be nobody's. The code and the class stay the system's. */
function nameFile(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || "path" in error) return error;
  return Object.assign(error, { message: `${error.message} '${file}'`, path: file });
}

/** Makes what was renamed in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
