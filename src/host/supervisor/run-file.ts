import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { hasErrorCode } from "../../core/errors.ts";
import { digestSchema, nameSchema } from "../../core/names.ts";
import { syncFolder } from "../../disk/write-durably.ts";
import { readOrSetAside, type OnDamaged } from "../state/set-aside.ts";
import { writeStateFile } from "../state/state-file.ts";

/**
 * What is kept on disk about one service, so that a host that comes back finds its process and no other. Commands and
 * environments are not in it: their digest is enough.
 */
const runSchema = z.object({
  schema: z.literal(1),
  id: z.string(),
  module: nameSchema,
  artifact: digestSchema,
  spec: digestSchema,
  /** In the environment of its processes: finds one that was started just before a kill, and what it left behind. */
  nonce: z.string(),
  /** Null: written before the start; the process may be there without being known yet. */
  identity: z.object({ pid: z.number().int().positive(), started: z.string(), bootId: z.string() }).nullable(),
  startedMs: z.number(),
  firstStartedMs: z.number(),
  endings: z.array(z.number()),
  lastEnding: z.string().nullable(),
  /** How long its log was when it was started. Absent in files of earlier hosts. */
  logBytes: z.number().int().nonnegative().default(0),
  /** How long the process that ended last had run. Absent in files of earlier hosts. */
  lastRanMs: z.number().nonnegative().nullable().default(null),
});
export type KeptRun = Omit<z.infer<typeof runSchema>, "schema">;

/** A damaged one is put aside: the process that it led to is then found by its environment, and ended (`end-orphans.ts`). */
export async function readRuns(folder: string, onDamaged: OnDamaged): Promise<readonly KeptRun[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const runs: KeptRun[] = [];
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".json") || name.startsWith(".")) continue;
    const run = await readOrSetAside(path.join(folder, name), runSchema, onDamaged);
    if (run !== null) runs.push(run);
  }
  return runs;
}

async function writeRun(folder: string, run: KeptRun): Promise<void> {
  await writeStateFile(fileOf(folder, run.id), { schema: 1, ...run });
}

/** Answers the error where there is no space, which is no reason to leave a service alone (R44); throws every other. */
export async function writeRunWithSpace(folder: string, run: KeptRun): Promise<unknown> {
  try {
    await writeRun(folder, run);
    return null;
  } catch (error) {
    if (hasErrorCode(error, "ENOSPC", "EDQUOT")) return error;
    throw error;
  }
}

/** For good: one that a power cut brought back would lead to a process that nothing else knows of, and nobody would end. */
export async function removeRun(folder: string, id: string): Promise<void> {
  await rm(fileOf(folder, id), { force: true });
  await syncFolder(folder);
}

function fileOf(folder: string, id: string): string {
  return path.join(folder, `${id.replaceAll("/", ".")}.json`);
}
