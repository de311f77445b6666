import { copyFile, mkdir, open, stat, truncate, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { isErrorCode } from "../error-code.ts";

const rotateBytes = 5 * 1024 * 1024;
/** Enough to find a last line in. */
const tailBytes = 4096;
const lineLimit = 200;

/** Opened for appending: the process keeps writing to it when the host has ended, and after a rotation. */
export async function openLog(file: string): Promise<FileHandle> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  return open(file, "a", 0o600);
}

/**
 * Keeps a log and its predecessor, each of about 5 MB. The process holds the file open, so it is copied and cut; what
 * is written in between is lost.
 */
export async function rotateLog(file: string): Promise<void> {
  try {
    if ((await stat(file)).size < rotateBytes) return;
    await copyFile(file, `${file}.1`);
    await truncate(file, 0);
  } catch (error) {
    if (!isErrorCode(error, "ENOENT")) throw error;
  }
}

/** The last line that says something, cut, without control characters; "" when there is none. */
export async function readLastLine(file: string): Promise<string> {
  let handle;
  try {
    handle = await open(file, "r");
  } catch (error) {
    // absence is the answer: no log, so it has said nothing.
    if (isErrorCode(error, "ENOENT")) return "";
    throw error;
  }
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, tailBytes);
    const { buffer } = await handle.read({ buffer: Buffer.alloc(length), length, position: size - length });
    const lines = buffer.toString("utf8").split("\n");
    const last = lines.map((line) => line.replaceAll(/\p{Cc}/gu, " ").trim()).findLast((line) => line !== "");
    return (last ?? "").slice(0, lineLimit).toWellFormed();
  } finally {
    await handle.close();
  }
}
