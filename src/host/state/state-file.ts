import { lstat, readFile, stat } from "node:fs/promises";
import type { z } from "zod";
import { hasErrorCode, InputError } from "../../core/errors.ts";
import { writeDurably } from "../../disk/write-durably.ts";

/** It is there, and is not what the host has written. `why` is a sentence's end. */
export class DamagedFileError extends InputError {
  readonly why: string;
  constructor(file: string, why: string, cause?: unknown) {
    const next = "Restore it from a copy, or begin with another --dir: docs/operating.md, *A host anew*.";
    super(`${file} is damaged: ${why}`, next, { cause });
    this.why = why;
  }
}

/** The host's own files are small; one that is not is damaged. */
const bytesLimit = 64 * 1024 * 1024;

/**
 * Reads one of the host's own files; null when it is not there. Throws DamagedFileError (InputError), with the file's name and what to
 * do, when it is damaged: a damaged file is never taken for an absent one.
 */
export async function readStateFile<S extends z.ZodType>(file: string, schema: S): Promise<z.infer<S> | null> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > bytesLimit) throw damaged(file, `it has ${size} bytes`);
    text = await readFile(file, "utf8");
  } catch (error) {
    // absence is the answer: not written yet; a damaged one is thrown below.
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw damaged(file, "it is not JSON", cause);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw damaged(file, parsed.error.issues[0]?.message ?? "another shape", parsed.error);
  return parsed.data;
}

export async function writeStateFile(file: string, value: unknown): Promise<void> {
  await writeDurably(file, `${JSON.stringify(value)}\n`, { mode: 0o600, writers: "one" });
}

/** Whether there is anything under this name. */
export async function isThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    // absence is the answer: whether it is there is the question.
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
}

function damaged(file: string, why: string, cause?: unknown): DamagedFileError {
  return new DamagedFileError(file, why, cause);
}
