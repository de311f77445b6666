import { createReadStream, type ReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { InputError } from "../core/errors.ts";

/** A token is short; a file that is not is not a token. */
const tokenBytesLimit = 16_384;

/**
 * The first line of the file, `-` for standard input. Says so where others could have read it before: it works once, and
 * that may have been theirs. Throws InputError where it cannot be read, is empty or too long.
 */
export async function readToken(
  file: string,
  say: (sentence: string) => void,
  standardInput: () => NodeJS.ReadableStream = () => process.stdin,
): Promise<string> {
  const what = file === "-" ? "standard input" : file;
  let line: string | null;
  try {
    if (file !== "-") await warnOfReaders(file, say);
    line = await readFirstLine(file === "-" ? standardInput() : openFile(file));
  } catch (cause) {
    throw new InputError(`the token in ${what} cannot be read`, "Check its path and mode.", { cause });
  }
  if (line === null) throw new InputError(`${what} is too long for a token`);
  if (line === "") throw new InputError(`there is no token in ${what}`);
  return line;
}

function openFile(file: string): ReadStream {
  return createReadStream(file);
}

async function warnOfReaders(file: string, say: (sentence: string) => void): Promise<void> {
  const found = await stat(file);
  if (found.isFile() && (found.mode & 0o077) !== 0)
    say(`others may read the token in ${file}: if one of them used it first, it is refused now. chmod 600 next time`);
}

/** A terminal gives a line at a time: whoever pastes it there ends it with Enter. Null: too long. */
async function readFirstLine(from: NodeJS.ReadableStream): Promise<string | null> {
  let text = "";
  for await (const chunk of from) {
    text += chunk.toString();
    if (text.length > tokenBytesLimit) return null;
    if (text.trimStart().includes("\n")) break;
  }
  return text.trimStart().split("\n")[0]?.trim() ?? "";
}
