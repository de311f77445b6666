import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { errorCode, InputError, UnavailableError } from "../core/errors.ts";
import { findJsonPlaces, sayLine } from "../core/json-place.ts";
import { sayIssue } from "../core/say-issue.ts";

/** Whatever a person or a program put there: this is no place for more. */
const bytesLimit = 4 * 1024 ** 2;

/**
 * A file of the state folder that has no secrets in it, read by its schema. `missing`: what it is where it is not there.
 * Throws InputError with the file, the line and what is wrong there; UnavailableError where it cannot be read.
 */
export async function readStateJson<T>(
  path: string,
  schema: z.ZodType<T>,
  { missing, next }: { readonly missing: unknown; readonly next: string },
): Promise<T> {
  const text = await readText(path, next);
  const parsed = schema.safeParse(text === null ? missing : parse(path, text, next));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.map(String) ?? [];
  const named = issue?.code === "unrecognized_keys" ? [...where, issue.keys[0] ?? ""] : where;
  const line = text === null ? "" : lineOf(text, named);
  throw new InputError(`${path}${line}: ${where.length === 0 ? "" : `${where.join(".")}: `}${sayIssue(issue)}`, next);
}

async function readText(path: string, next: string): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    // absence is the answer: no such file, which is for the caller to judge.
    if (errorCode(cause) === "ENOENT") return null;
    throw new UnavailableError(`${path} cannot be read: ${errorCode(cause) ?? String(cause)}`, next, { cause });
  }
  if (text.length > bytesLimit) throw new InputError(`${path} has more than ${bytesLimit} characters`, next);
  return text;
}

function parse(path: string, text: string, next: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { brokenAt } = findJsonPlaces(text);
    const line = brokenAt === null ? "" : `, ${sayLine(text, brokenAt)}`;
    throw new InputError(`${path}${line}: this is not JSON`, next, { cause });
  }
}

/** Of the innermost member that stands there: what is missing has no line. */
function lineOf(text: string, where: readonly string[]): string {
  const { members } = findJsonPlaces(text);
  const named = where.filter((step) => !/^\d+$/.test(step));
  for (let length = named.length; length > 0; length -= 1) {
    const at = members.get(named.slice(0, length).join("."));
    if (at !== undefined) return `, ${sayLine(text, at)}`;
  }
  return "";
}
