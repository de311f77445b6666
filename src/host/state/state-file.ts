import { readFile, stat } from "node:fs/promises";
import type { z } from "zod";
import { hasErrorCode, InputError } from "../../core/errors.ts";
import { writeDurably } from "./write-durably.ts";

/** The host's own files are small; one that is not is damaged. */
const bytesLimit = 64 * 1024 * 1024;

/**
 * Reads one of the host's own files; null when it is not there. Throws InputError, with the file's name and what to
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
  await writeDurably(file, `${JSON.stringify(value)}\n`, { mode: 0o600 });
}

function damaged(file: string, why: string, cause?: unknown): InputError {
  return new InputError(
    `${file} is damaged: ${why}`,
    "Restore it from a copy, or move the host's folder away and enrol again.",
    { cause },
  );
}
