import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { hasErrorCode, InputError, UnavailableError, whenThere } from "../core/errors.ts";

/** What is the matter with a folder, and what a person does about it. `is`: whether a try later may go well by itself. */
const reasons: Readonly<
  Record<string, { readonly is: "input" | "unavailable"; readonly what: string; readonly next: string }>
> = {
  EROFS: { is: "unavailable", what: "it can only be read", next: "mount it for writing" },
  ENOSPC: { is: "unavailable", what: "its disk is full", next: "make room on it" },
  EDQUOT: { is: "unavailable", what: "its disk has no room left for this user", next: "make room on it" },
  EACCES: { is: "input", what: "this user may not write there", next: "give this user the right to (chown, chmod)" },
  EPERM: { is: "input", what: "this user may not write there", next: "give this user the right to (chown, chmod)" },
  ENOTDIR: { is: "input", what: "there is a file where a folder has to be", next: "move that file away" },
  EEXIST: { is: "input", what: "there is a file where a folder has to be", next: "move that file away" },
};

/** Why the state folder `root` could not be made or written, for a person. Every other error is given back as it is. */
export async function explainUnwritable(error: unknown, root: string): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof InputError || error instanceof UnavailableError) return error;
  const path = "path" in error ? String(error.path) : root;
  const reason = reasons[await findCode(error, path)];
  if (reason === undefined) return error;
  const message = `the state folder ${root} cannot be written: ${reason.what} (${path})`;
  const next = `${reason.next}, or choose another folder with --state, then try again`;
  if (reason.is === "input") return new InputError(message, next, { cause: error });
  return new UnavailableError(message, next, { cause: error });
}

/** Making a folder with those above it, Node says of one that can only be read that it is not there. */
async function findCode(error: Error, path: string): Promise<string> {
  const code = "code" in error ? String(error.code) : "";
  if (code !== "ENOENT") return code;
  let above = dirname(path);
  while (above !== dirname(above) && (await whenThere(stat(above), ["ENOENT", "ENOTDIR"])) === null)
    above = dirname(above);
  try {
    await access(above, constants.W_OK);
    return code;
  } catch (refused) {
    if (hasErrorCode(refused, "EROFS")) return "EROFS";
    if (hasErrorCode(refused, "EACCES")) return "EACCES";
    throw refused;
  }
}
