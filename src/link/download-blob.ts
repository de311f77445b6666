import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { Digest } from "../core/names.ts";
import { unavailable } from "./pinned-request.ts";
import { RefusedError } from "./refused-error.ts";

export type DownloadOptions = {
  readonly fromByte?: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
};

/**
 * Writes a blob to a file, going on at `fromByte` where the gateway agrees, and reads the whole file back for its
 * digest: a file that is not that blob is removed. `get` asks with these headers and gives the answer's head.
 */
export async function downloadBlob(
  get: (headers: Readonly<Record<string, string>>) => Promise<IncomingMessage>,
  digest: Digest,
  toFile: string,
  options: DownloadOptions,
): Promise<{ readonly bytes: number }> {
  const { response, start } = await askFrom(get, options.fromByte ?? 0);
  const length = Number(response.headers["content-length"] ?? Number.NaN);
  if (!Number.isSafeInteger(length) || start + length > options.maxBytes) {
    response.destroy();
    throw new RefusedError(
      `blob ${digest} is longer than the ${options.maxBytes} bytes it was declared with`,
      200,
      "size",
    );
  }
  const bytes = await appendTo(toFile, start, response, options.maxBytes);
  if (bytes < start + length) throw unavailable(new Error(`blob ${digest} was cut off at ${bytes} bytes`));
  if ((await digestOf(toFile)) !== digest) {
    await rm(toFile, { force: true });
    throw new RefusedError(`what came for blob ${digest} has another digest and was removed`, 200, "digest");
  }
  return { bytes };
}

/** A gateway that cannot go on at this byte (the file here may be longer than the blob) is asked for the whole. */
async function askFrom(
  get: (headers: Readonly<Record<string, string>>) => Promise<IncomingMessage>,
  fromByte: number,
): Promise<{ readonly response: IncomingMessage; readonly start: number }> {
  if (fromByte === 0) return { response: await get({}), start: 0 };
  try {
    const response = await get({ range: `bytes=${fromByte}-` });
    const agreed = response.statusCode === 206 && response.headers["content-range"]?.startsWith(`bytes ${fromByte}-`);
    return { response, start: agreed === true ? fromByte : 0 };
  } catch (error) {
    if (error instanceof RefusedError && error.status === 416) return { response: await get({}), start: 0 };
    throw error;
  }
}

/** The file's length afterwards. Errors of the file system (no space) come out as they are. */
async function appendTo(file: string, start: number, response: IncomingMessage, maxBytes: number): Promise<number> {
  const handle = await open(file, start === 0 ? "w" : "r+", 0o600);
  try {
    await handle.truncate(start);
    let position = start;
    for await (const chunk of readChunks(response)) {
      if (position + chunk.length > maxBytes) throw new RefusedError("more came than was announced", 200, "size");
      position += await writeWhole(handle, chunk, position);
    }
    await handle.sync();
    return position;
  } finally {
    response.destroy();
    await handle.close();
  }
}

/** A disk that gets full takes a part first and fails with the next: a part must not be taken for the whole. */
async function writeWhole(handle: FileHandle, chunk: Buffer, position: number): Promise<number> {
  let written = 0;
  while (written < chunk.length) {
    const part = await handle.write(chunk, written, chunk.length - written, position + written);
    written += part.bytesWritten;
  }
  return written;
}

/** Only what goes wrong on the way here is "no answer": not what goes wrong with the file. */
async function* readChunks(response: IncomingMessage): AsyncGenerator<Buffer> {
  const chunks = (response as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      throw unavailable(error);
    });
    if (next.done === true) return;
    yield next.value;
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  return `sha256:${hash.digest("hex")}`;
}
