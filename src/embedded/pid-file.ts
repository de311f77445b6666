import { rm } from "node:fs/promises";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { isRecord, readJson } from "./read-json.ts";
import { writeDurably } from "../disk/write-durably.ts";

export interface PidFile {
  readonly identity: ProcessIdentity;
  /** What it was started with: a leftover that differs is replaced, not adopted. */
  readonly argv: readonly string[];
}

/** The process the file names, if that very process still runs; null else. */
export async function readPidFile(path: string): Promise<PidFile | null> {
  const file = await readJson(path, isPidFile);
  return file !== null && isAlive(file.identity) ? file : null;
}

export async function writePidFile(path: string, file: PidFile): Promise<void> {
  await writeDurably(path, `${JSON.stringify(file)}\n`, { mode: 0o644 });
}

export async function removePidFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

export function isIdentity(value: unknown): value is ProcessIdentity {
  return (
    isRecord(value) &&
    typeof value["pid"] === "number" &&
    typeof value["startTime"] === "string" &&
    typeof value["bootId"] === "string"
  );
}

function isPidFile(value: unknown): value is PidFile {
  return isRecord(value) && isIdentity(value["identity"]) && Array.isArray(value["argv"]);
}
