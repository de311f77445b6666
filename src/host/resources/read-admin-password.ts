import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode, InputError, UnavailableError } from "../../core/errors.ts";
import { resolveInRoot } from "./path-in-root.ts";

const bytesLimit = 4096;

/**
 * The administrator's password of a provider's server. The file never leaves this node and its content is never kept.
 * Inside the root no link is followed: a service must not choose which file of the host's is sent as a password.
 * Throws UnavailableError while it is not there (the server makes it at its first start).
 */
export async function readAdminPassword(root: string, file: string): Promise<string> {
  if (!path.isAbsolute(file)) throw new InputError("the administrator's password file is not an absolute path");
  const relative = path.relative(root, file);
  const isInside = !relative.startsWith("..") && !path.isAbsolute(relative);
  const checked = isInside ? await resolveInRoot(root, relative) : file;
  let handle;
  try {
    const follow = isInside ? constants.O_NOFOLLOW : 0;
    handle = await open(checked, constants.O_RDONLY | constants.O_NONBLOCK | follow);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) {
      throw new UnavailableError("the file with the administrator's password is not there yet", "", { cause: error });
    }
    throw new InputError("the file with the administrator's password cannot be opened", "", { cause: error });
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > bytesLimit) {
      throw new InputError("the file with the administrator's password is no small regular file");
    }
    const password = (await handle.readFile("utf8")).replace(/\r?\n$/, "");
    // Empty: it is just being written.
    if (password === "") throw new UnavailableError("the file with the administrator's password is empty");
    return password;
  } finally {
    await handle.close();
  }
}
