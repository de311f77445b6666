import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { randomBytes } from "node:crypto";
import { InputError, UnavailableError } from "../core/errors.ts";

/** Writes a secret: mode 0600 from the first byte on, whole or not at all, also over a power cut. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const folder = await open(dirname(file), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Throws InputError when others may read it, UnavailableError when it cannot be read. Messages never hold what is in it. */
export async function readPrivateFile(file: string): Promise<string> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) throw new InputError(`others may read the secret in ${file}`, `chmod 600 ${file}`);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new UnavailableError(`the secret in ${file} cannot be read`, "Is the path right, and is it yours?", {
      cause: error,
    });
  }
}
