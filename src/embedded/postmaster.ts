import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../core/errors.ts";
import { readProcessIdentity, type ProcessIdentity } from "./process-identity.ts";
import { worksIn } from "./processes.ts";

/** What a running server writes into its data folder. */
export interface Postmaster {
  readonly identity: ProcessIdentity;
  readonly port: number;
  /** Its own word: `starting` or `standby` also while it repairs its data, `ready`, `stopping`; empty before it has said any. */
  readonly status: string;
}

export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly status: string;
}

/** Lines of postmaster.pid: pid, data folder, start, port, socket folder, address, shared memory, status. */
export function parsePostmasterFile(text: string): PostmasterFile | null {
  const lines = text.split("\n");
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  // absence is the answer: the file is written line by line, so half of it may be there.
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port) || port <= 0) return null;
  return { pid, port, status: (lines[7] ?? "").trim() };
}

/** The server that runs on this data folder; null when none does, whatever an old file says. */
export async function readPostmaster(dataFolder: string): Promise<Postmaster | null> {
  const text = await readIfThere(join(dataFolder, "postmaster.pid"));
  const file = text === null ? null : parsePostmasterFile(text);
  if (file === null) return null;
  const identity = readProcessIdentity(file.pid);
  // Every process of PostgreSQL works in its data folder: that tells it from a stranger with the same pid.
  if (identity === null || !(await worksIn(file.pid, dataFolder))) return null;
  return { identity, port: file.port, status: file.status };
}

/**
 * After a kill -9 the file stays, and where its pid belongs to a stranger by now PostgreSQL refuses to start. Only
 * call it when `readPostmaster` found none.
 */
export async function removeStaleFile(dataFolder: string): Promise<void> {
  await rm(join(dataFolder, "postmaster.pid"), { force: true });
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    // absence is the answer: no file, no server.
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}
