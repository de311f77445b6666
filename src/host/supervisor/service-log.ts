import { mkdir, open, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode } from "../../core/errors.ts";

/** Of a service's log, and of its predecessor. */
export const serviceLogBytes = 5 * 1024 * 1024;
/** Enough to find the reason of an ending in. */
const endBytes = 16 * 1024;

/** Opened for appending: the process keeps writing to it when the host has ended, and after a rotation. */
export async function openLog(file: string): Promise<FileHandle> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  return open(file, "a", 0o600);
}

/** Bytes; 0 when there is none yet. */
export async function readLogSize(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    // absence is the answer: no log, so nothing is in it.
    if (hasErrorCode(error, "ENOENT")) return 0;
    throw error;
  }
}

/** The end of what was written since the log had `fromBytes`; a rotation since then cut it shorter than that. */
export async function readLogEnd(file: string, fromBytes: number): Promise<string> {
  let handle;
  try {
    handle = await open(file, "r");
  } catch (error) {
    // absence is the answer: no log, so it has said nothing.
    if (hasErrorCode(error, "ENOENT")) return "";
    throw error;
  }
  try {
    const { size } = await handle.stat();
    const all = fromBytes > size ? size : size - fromBytes;
    const length = Math.min(all, endBytes);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: size - length });
    const text = buffer.subarray(0, bytesRead).toString("utf8");
    // The first line is cut, and perhaps a secret in it: what is cut is not known again.
    return length === all ? text : text.split("\n").slice(1).join("\n");
  } finally {
    await handle.close();
  }
}

/** As a person finds it in the host's folder: `log/web.log`. */
export function nameLog(file: string): string {
  return file.split(path.sep).slice(-2).join("/");
}
