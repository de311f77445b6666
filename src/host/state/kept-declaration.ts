import { readFile, rename } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode } from "../../core/errors.ts";
import { syncFolder, writeDurably } from "../../disk/write-durably.ts";

/**
 * The exact envelope that is in force. The next one is written beside it, then the mark for that one, and only then it takes
 * this one's place: whatever a kill or a full disk leaves, the envelope that the mark was written for is there (R44).
 */
export function readKeptDeclaration(stateFolder: string): Promise<Uint8Array | null> {
  return readEnvelope(keptFile(stateFolder));
}

/** Written down; accepted only where the mark is of it. */
export function readNextDeclaration(stateFolder: string): Promise<Uint8Array | null> {
  return readEnvelope(nextFile(stateFolder));
}

export async function writeNextDeclaration(stateFolder: string, envelope: Uint8Array): Promise<void> {
  await writeDurably(nextFile(stateFolder), envelope, { mode: 0o600, writers: "one" });
}

/** Takes no room on the disk. Done before: nothing to do. */
export function keepNextDeclaration(stateFolder: string): Promise<void> {
  return renameThere(stateFolder, nextFile(stateFolder), keptFile(stateFolder));
}

/**
 * What was accepted under a mark that is put back counts no more: a start would take it for a newer one, and raise the mark
 * again. It stays beside for who wants to know what it was.
 */
export function setKeptAside(stateFolder: string): Promise<void> {
  return renameThere(stateFolder, keptFile(stateFolder), path.join(stateFolder, "accepted-before-recovery.dsse"));
}

async function renameThere(stateFolder: string, from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    // absence is the answer: what was cut short has done it already.
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
  await syncFolder(stateFolder);
}

async function readEnvelope(file: string): Promise<Uint8Array | null> {
  try {
    return await readFile(file);
  } catch (error) {
    // absence is the answer: before the first declaration nothing is kept, and a next one is there for a moment.
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}

function keptFile(stateFolder: string): string {
  return path.join(stateFolder, "accepted.dsse");
}

function nextFile(stateFolder: string): string {
  return path.join(stateFolder, "accepted-next.dsse");
}
