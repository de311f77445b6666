import { rm } from "node:fs/promises";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { isRecord, readJson } from "./read-json.ts";
import { writeDurably } from "../disk/write-durably.ts";

export interface PidFile {
  readonly identity: ProcessIdentity;
  /** What it was started with: a leftover that differs is replaced, not adopted. */
  readonly argv: readonly string[];
  readonly marks: Marks;
}

/** What a process took up when it started and does not look at again (its code, its settings), each by its digest. */
export type Marks = Readonly<Record<string, string>>;

/** The process the file names, if that very process still runs; null else. */
export async function readPidFile(path: string): Promise<PidFile | null> {
  const file = await readJson(path, isPidFile);
  // Versions before this one wrote no marks: nobody knows what such a process took up.
  return file !== null && isAlive(file.identity) ? { ...file, marks: file.marks ?? {} } : null;
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

function isPidFile(value: unknown): value is Omit<PidFile, "marks"> & { readonly marks?: Marks } {
  return (
    isRecord(value) &&
    isIdentity(value["identity"]) &&
    Array.isArray(value["argv"]) &&
    (value["marks"] === undefined || isMarks(value["marks"]))
  );
}

function isMarks(value: unknown): value is Marks {
  return isRecord(value) && Object.values(value).every((mark) => typeof mark === "string");
}
