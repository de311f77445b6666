import { readFile } from "node:fs/promises";
import { hasErrorCode, InputError } from "../core/errors.ts";
import { findJsonPlaces, sayLine } from "../core/json-place.ts";

/** The parsed content; null when there is no such file. Throws InputError when `isWanted` does not know it. */
export async function readJson<T>(path: string, isWanted: (value: unknown) => value is T): Promise<T | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    // absence is the answer: no file.
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const { brokenAt } = findJsonPlaces(text);
    const line = brokenAt === null ? "" : `, ${sayLine(text, brokenAt)}`;
    throw new InputError(`${path}${line}: this is not JSON`, "Move it away and start again.", { cause });
  }
  if (!isWanted(value)) throw new InputError(`${path} is not what was written there`, "Move it away and start again.");
  return value;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
