import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, InputError } from "../../core/errors.ts";
import type { Digest } from "../../core/names.ts";
import { describeUnsafeName } from "./artifact-path.ts";
import { contentDigest, type ContentEntry } from "./content-digest.ts";
import { readHeader, readLongName, type TarEntry } from "./tar-entries.ts";

export interface UnpackLimits {
  readonly entries: number;
  readonly bytes: number;
}

export const unpackLimits: UnpackLimits = { entries: 200_000, bytes: 4 * 1024 ** 3 };

export interface UnpackArtifact {
  /** The tar: a file's path, or its bytes. */
  readonly from: string | AsyncIterable<Uint8Array>;
  /** A folder that does not exist yet (its parent does); removed again when anything is wrong. */
  readonly into: string;
  /** Content digest: computed while unpacking and compared at the end. */
  readonly digest: Digest;
  readonly limits?: UnpackLimits;
  readonly signal?: AbortSignal | undefined;
  /** `synced`: every file is on the disk when this returns, for machines whose power may go. */
  readonly durability?: "synced" | "cached";
}

/**
 * Unpacks what our packer packs, and nothing else: regular files with mode 644 or 755. Links, devices, setuid, `../`,
 * absolute and repeated names, sparse files and anything past the limits is an InputError, and nothing stays behind.
 */
export async function unpackArtifact(
  options: UnpackArtifact,
): Promise<{ readonly files: number; readonly bytes: number }> {
  await mkdir(options.into, { mode: 0o755 });
  try {
    const entries = await unpackEntries(options);
    const found = contentDigest(entries);
    if (found !== options.digest) throw new InputError(`the artifact's content is ${found}, not ${options.digest}`);
    return { files: entries.length, bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0) };
  } catch (error) {
    await rm(options.into, { recursive: true, force: true });
    throw error;
  }
}

async function unpackEntries(options: UnpackArtifact): Promise<ContentEntry[]> {
  const limits = options.limits ?? unpackLimits;
  const source = typeof options.from === "string" ? createReadStream(options.from) : options.from;
  const reader = createBlockReader(source, options.signal);
  const entries: ContentEntry[] = [];
  const folders = new Set<string>([options.into]);
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
    entries.push(await unpackFile(options, reader, header.entry, folders));
    await reader.skip(header.entry.bytes);
  }
  if (longName !== null) throw new InputError("a pax header without a file");
  await reader.close();
  return entries;
}

async function unpackFile(
  options: UnpackArtifact,
  reader: BlockReader,
  entry: TarEntry,
  folders: Set<string>,
): Promise<ContentEntry> {
  const unsafe = describeUnsafeName(entry.name);
  if (unsafe !== null) throw new InputError(`${JSON.stringify(entry.name.slice(0, 200))}: ${unsafe}`);
  const path = join(options.into, entry.name);
  await makeFolders(options.into, dirname(path), folders);
  const file = await openNew(path, entry.name);
  const hash = createHash("sha256");
  try {
    for await (const chunk of reader.stream(entry.bytes)) {
      hash.update(chunk);
      await writeAll(file, chunk);
    }
    // Not by the mode at opening: the umask of this process would be in it.
    await file.chmod(entry.mode === "755" ? 0o755 : 0o644);
    if (options.durability === "synced") await file.sync();
  } finally {
    await file.close();
  }
  return { path: entry.name, mode: entry.mode, bytes: entry.bytes, sha256: hash.digest("hex") };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
}

/** Only folders that we made ourselves are entered: nobody else can have put a link there. */
async function makeFolders(root: string, folder: string, made: Set<string>): Promise<void> {
  if (made.has(folder)) return;
  if (folder.length <= root.length) throw new InputError("a name outside the artifact");
  await makeFolders(root, dirname(folder), made);
  try {
    await mkdir(folder);
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw new InputError("a name that is a file and a folder", "", { cause: error });
    throw error;
  }
  await chmod(folder, 0o755);
  made.add(folder);
}

async function openNew(path: string, name: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    if (errorCode(error) === "EEXIST")
      throw new InputError(`${JSON.stringify(name)} is there twice`, "", { cause: error });
    throw error;
  }
}

interface BlockReader {
  take(bytes: number): Promise<Buffer>;
  stream(bytes: number): AsyncIterable<Buffer>;
  /** The rest of the block that a body of this size ends in. */
  skip(bytes: number): Promise<void>;
  close(): Promise<void>;
}

function createBlockReader(source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): BlockReader {
  const chunks = source[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  const fill = async (): Promise<void> => {
    signal?.throwIfAborted();
    const next = await chunks.next();
    if (next.done === true) throw new InputError("the artifact ends in the middle");
    held = Buffer.concat([held, next.value]);
  };
  async function* stream(bytes: number): AsyncGenerator<Buffer> {
    for (let missing = bytes; missing > 0;) {
      if (held.length === 0) await fill();
      const piece = held.subarray(0, missing);
      held = held.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }
  const take = async (bytes: number): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    for await (const piece of stream(bytes)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  return {
    take,
    stream,
    skip: async (bytes) => {
      const rest = await take((512 - (bytes % 512)) % 512);
      if (rest.some((byte) => byte !== 0)) throw new InputError("padding that is not empty");
    },
    close: async () => {
      await chunks.return?.();
    },
  };
}
