import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { InputError } from "../../core/errors.ts";
import { describeUnsafeName } from "./artifact-path.ts";
import { createBlockReader, type BlockReader } from "./block-reader.ts";
import type { ContentEntry } from "./content-digest.ts";
import { readHeader, readLongName, type TarEntry } from "./tar-entries.ts";

export interface UnpackLimits {
  readonly entries: number;
  readonly bytes: number;
}

export const unpackLimits: UnpackLimits = { entries: 200_000, bytes: 4 * 1024 ** 3 };

export interface WalkArtifact {
  /** The tar: a file's path, or its bytes. */
  readonly from: string | AsyncIterable<Uint8Array>;
  readonly limits?: UnpackLimits;
  readonly signal?: AbortSignal | undefined;
}

/** Takes one file's bytes, all of them. */
export type TakeFile = (entry: TarEntry, body: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Reads what our packer packs, and nothing else, file by file: regular files with mode 644 or 755 and safe names. All
 * else, and anything past the limits, is an InputError.
 */
export async function walkArtifact(options: WalkArtifact, take: TakeFile): Promise<ContentEntry[]> {
  const limits = options.limits ?? unpackLimits;
  const source = typeof options.from === "string" ? createReadStream(options.from) : options.from;
  const reader = createBlockReader(source, options.signal);
  try {
    return await walkEntries(reader, limits, take);
  } finally {
    // Also when it is refused: a host tries again and again, and each open file would stay.
    await reader.close();
  }
}

async function walkEntries(reader: BlockReader, limits: UnpackLimits, take: TakeFile): Promise<ContentEntry[]> {
  const entries: ContentEntry[] = [];
  let longName: string | null = null;
  let bytes = 0;
  let headers = 0;
  for (;;) {
    const header = readHeader(await reader.take(512), longName);
    if (header.kind === "end") break;
    headers += 1;
    if (headers > 2 * limits.entries || entries.length >= limits.entries)
      throw new InputError(`the artifact has more than ${limits.entries} files`);
    if (header.kind === "pax") {
      if (longName !== null || header.bytes > 2048) throw new InputError("a pax header where none may be");
      longName = readLongName(await reader.take(header.bytes));
      await reader.skip(header.bytes);
      continue;
    }
    longName = null;
    bytes += header.entry.bytes;
    if (bytes > limits.bytes) throw new InputError(`the artifact's files are larger than ${limits.bytes} bytes`);
    entries.push(await takeFile(reader, header.entry, take));
    await reader.skip(header.entry.bytes);
  }
  if (longName !== null) throw new InputError("a pax header without a file");
  return entries;
}

/** The files of an artifact, without writing any of them. */
export function listArtifactFiles(options: WalkArtifact): Promise<ContentEntry[]> {
  return walkArtifact(options, async (_entry, body) => {
    const pieces = body[Symbol.asyncIterator]();
    while ((await pieces.next()).done !== true);
  });
}

async function takeFile(reader: BlockReader, entry: TarEntry, take: TakeFile): Promise<ContentEntry> {
  const unsafe = describeUnsafeName(entry.name);
  if (unsafe !== null) throw new InputError(`${JSON.stringify(entry.name.slice(0, 200))}: ${unsafe}`);
  const hash = createHash("sha256");
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of reader.stream(entry.bytes)) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await take(entry, hashed());
  return { path: entry.name, mode: entry.mode, bytes: entry.bytes, sha256: hash.digest("hex") };
}
