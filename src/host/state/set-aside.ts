import { rename } from "node:fs/promises";
import type { z } from "zod";
import { hasErrorCode } from "../../core/errors.ts";
import { describeFailure } from "../describe-failure.ts";
import { DamagedFileError, isThere, readStateFile } from "./state-file.ts";

/** One of the host's own files that could not be used. The host came up without it. */
export interface DamagedFile {
  readonly file: string;
  /** A sentence's end: `it is not JSON`. */
  readonly why: string;
  /** Where it is kept; null: it could not be moved, and is where it was. */
  readonly aside: string | null;
}

export type OnDamaged = (damaged: DamagedFile) => void;

/**
 * For what the host can do without, because it reads reality back: a damaged file is moved aside, kept, and said; the
 * answer is then null, as before anything was written. Never for what orders declarations (the mark) or reports (the
 * boot), nor for what says which things to remove.
 */
export async function readOrSetAside<S extends z.ZodType>(
  file: string,
  schema: S,
  onDamaged: OnDamaged,
): Promise<z.infer<S> | null> {
  try {
    return await readStateFile(file, schema);
  } catch (error) {
    const why = whyDamaged(error);
    if (why === null) throw error;
    onDamaged({ file, why, aside: await setAside(file) });
    // absence is the answer: what was in it is lost, which is said above with the file's name.
    return null;
  }
}

function whyDamaged(error: unknown): string | null {
  if (error instanceof DamagedFileError) return error.why;
  // A disk that cannot give it back, or something else in its place.
  return hasErrorCode(error, "EIO", "EISDIR") ? describeFailure(error) : null;
}

/** Beside it, under a name that is free: an earlier one stays. */
async function setAside(file: string): Promise<string | null> {
  try {
    for (let count = 1; ; count += 1) {
      const aside = `${file}.damaged-${count}`;
      if (await isThere(aside)) continue;
      await rename(file, aside);
      return aside;
    }
  } catch {
    // absence is the answer: `aside` null says that it stayed where it was, and the file is said to be damaged.
    return null;
  }
}
