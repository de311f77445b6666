import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat, truncate } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { hasErrorCode, whenThere } from "../core/errors.ts";

/**
 * Keeps of a log that has `keptBytes` or more what was written last, so many bytes, as its predecessor beside it. A process
 * holds the file open for appending, so it is copied and cut; what is written in between is lost. `cut`: there was no
 * space for the predecessor, so all of it is lost.
 */
export async function rotateLog(file: string, keptBytes: number): Promise<"small" | "rotated" | "cut"> {
  const found = await whenThere(stat(file));
  if (found === null || found.size < keptBytes) return "small";
  const before = `${file}.1`;
  let outcome: "rotated" | "cut" = "rotated";
  try {
    const last = createReadStream(file, { start: found.size - keptBytes, end: found.size - 1 });
    await pipeline(last, createWriteStream(before, { mode: found.mode & 0o777 }));
  } catch (error) {
    if (!hasErrorCode(error, "ENOSPC", "EDQUOT")) throw error;
    // The log may be what fills the disk: left as it is, it would never be cut.
    await rm(before, { force: true });
    outcome = "cut";
  }
  await truncate(file, 0);
  return outcome;
}
