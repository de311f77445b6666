import { open } from "node:fs/promises";
import { hasErrorCode, InputError, UnavailableError } from "../core/errors.ts";
import { writeDurably } from "./write-durably.ts";

/** Keys, passwords and tokens are short; what is not is none of them. */
const bytesLimit = 1024 * 1024;

/** Writes a secret: mode 0600 from the first byte on, whole or not at all, also over a power cut. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  await writeDurably(file, text, { mode: 0o600 });
}

/**
 * Throws InputError when others may read it or it is too long, UnavailableError when it cannot be read. Messages never
 * hold what is in it.
 */
export async function readPrivateFile(file: string, limit = bytesLimit): Promise<string> {
  const text = await readIfThere(file, limit);
  if (text !== null) return text;
  throw unreadable(file, new Error("there is no such file"));
}

/** As `readPrivateFile`; null when there is no such file. */
export async function readPrivateFileIfThere(file: string): Promise<string | null> {
  return await readIfThere(file, bytesLimit);
}

async function readIfThere(file: string, limit: number): Promise<string | null> {
  try {
    const handle = await open(file, "r");
    try {
      // Of what was opened, not of what stands under its name by then.
      const { mode, size } = await handle.stat();
      if ((mode & 0o077) !== 0) throw new InputError(`others may read the secret in ${file}`, `chmod 600 ${file}`);
      if (size > limit) throw new InputError(`${file} has more than ${limit} bytes: that is no secret of ours`);
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    // absence is the answer: whether it is there is the caller's question.
    if (hasErrorCode(error, "ENOENT")) return null;
    if (error instanceof InputError) throw error;
    throw unreadable(file, error);
  }
}

function unreadable(file: string, cause: unknown): UnavailableError {
  return new UnavailableError(`the secret in ${file} cannot be read`, "Is the path right, and is it yours?", { cause });
}
