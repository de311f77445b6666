import { createHash, randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { errorCode } from "../../core/errors.ts";

const maxBytes = 16 * 1024;

/** One file of the user's cache: what a program said of itself, for other processes to begin with. */
export interface KeptAnswer {
  /** Null: there is none, or others than this user may have written it. */
  read(): string | null;
  write(text: string): void;
}

/** `asked`: all that the answer depends on, besides files whose marks are looked at. */
export function keptAnswer(asked: readonly string[], folder: string = defaultFolder()): KeptAnswer {
  const name = createHash("sha256").update(JSON.stringify(asked)).digest("hex").slice(0, 32);
  const path = join(folder, `${name}.json`);
  return { read: () => readOwn(path), write: (text) => writeOwn(folder, path, text) };
}

function defaultFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "mesh-delivery", "python");
}

/** What is in it is run later: a file that another may write, or a link to one, says nothing. */
function readOwn(path: string): string | null {
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { uid, mode, size } = fstatSync(file);
    return uid === process.getuid?.() && (mode & 0o022) === 0 && size <= maxBytes ? readFileSync(file, "utf8") : null;
  } catch (error) {
    // absence is the answer: the program itself is asked
    if (errorCode(error) !== null) return null;
    throw error;
  } finally {
    if (file !== null) closeSync(file);
  }
}

function writeOwn(folder: string, path: string, text: string): void {
  const half = `${path}.${randomUUID()}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(half, text, { flag: "wx", mode: 0o600 });
    renameSync(half, path);
  } catch (error) {
    // absence is the answer: no home, or a full disk; the next process asks the program again
    if (errorCode(error) === null) throw error;
  }
}
