import { readFile, rename } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode } from "../../core/errors.ts";
import { syncFolder, writeDurably } from "../../disk/write-durably.ts";

/**
 * The exact envelope that was accepted. It is written before the mark: so whatever a kill leaves, the kept
 * declaration is never older than the mark, and the host comes up with the newest it accepted (R44).
 */
export async function readKeptDeclaration(stateFolder: string): Promise<Uint8Array | null> {
  try {
    return await readFile(keptFile(stateFolder));
  } catch (error) {
    // absence is the answer: before the first declaration nothing is kept.
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}

export async function writeKeptDeclaration(stateFolder: string, envelope: Uint8Array): Promise<void> {
  await writeDurably(keptFile(stateFolder), envelope, { mode: 0o600, writers: "one" });
}

/**
 * What was accepted under a mark that is put back counts no more: a start would take it for a newer one, and raise the mark
 * again. It stays beside for who wants to know what it was.
 */
export async function setKeptAside(stateFolder: string): Promise<void> {
  try {
    await rename(keptFile(stateFolder), path.join(stateFolder, "accepted-before-recovery.dsse"));
  } catch (error) {
    // absence is the answer: a recovery that was cut short has done it already.
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
  await syncFolder(stateFolder);
}

function keptFile(stateFolder: string): string {
  return path.join(stateFolder, "accepted.dsse");
}
