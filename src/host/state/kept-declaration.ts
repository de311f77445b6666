import { readFile } from "node:fs/promises";
import path from "node:path";
import { isErrorCode } from "../error-code.ts";
import { writeDurably } from "./write-durably.ts";

/**
 * The exact envelope that was accepted. It is written before the mark: so whatever a kill leaves, the kept
 * declaration is never older than the mark, and the host comes up with the newest it accepted (R44).
 */
export async function readKeptDeclaration(stateFolder: string): Promise<Uint8Array | null> {
  try {
    return await readFile(keptFile(stateFolder));
  } catch (error) {
    // absence is the answer: before the first declaration nothing is kept.
    if (isErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}

export async function writeKeptDeclaration(stateFolder: string, envelope: Uint8Array): Promise<void> {
  await writeDurably(keptFile(stateFolder), envelope, { mode: 0o600 });
}

function keptFile(stateFolder: string): string {
  return path.join(stateFolder, "accepted.dsse");
}
