import { readFile } from "node:fs/promises";
import { hasErrorCode } from "../core/errors.ts";
import { lastLines } from "./run-command.ts";

/** The last lines of a log, for an error about the program that wrote it. */
export async function readLogTail(path: string): Promise<string> {
  try {
    return lastLines(await readFile(path, "utf8"), 3);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return "it wrote no log";
    throw error;
  }
}
