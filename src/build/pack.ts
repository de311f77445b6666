import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import type { Digest } from "../core/names.ts";
import { describeUnsafeName } from "../link/artifact/artifact-path.ts";
import { contentDigest, type ContentEntry } from "../link/artifact/content-digest.ts";
import { unpackLimits } from "../link/artifact/walk-artifact.ts";
import { endOfTar, padding, writeHeader } from "../link/artifact/tar-entries.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { sandboxLimits } from "./sandbox.ts";

export interface PackFolder {
  readonly folder: string;
  readonly store: ArtifactStore;
  /** Of all files together, holes in them counted: they travel as zeros. 2 GiB where left out, and never more than is unpacked. */
  readonly limitBytes?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (() => void) | undefined;
}

export interface Packed {
  readonly digest: Digest;
  readonly blob: Digest;
  readonly blobBytes: number;
  readonly files: number;
}

const mostFiles = unpackLimits.entries;

/** Too much for an artifact as this mesh is set. Limits decide whether there is a verdict, never which. */
export class ArtifactLimitError extends Error {
  override readonly name = "ArtifactLimitError";
}

/**
 * Packs a folder so that equal content gives equal bytes (R10): sorted names, no times, no owners, modes 644 and 755
 * only. Anything but files and folders is an InputError; too much is an ArtifactLimitError.
 */
export async function packFolder(options: PackFolder): Promise<Packed> {
  const names: string[] = [];
  for await (const name of listFiles(options.folder, "")) {
    if (names.length === mostFiles)
      throw new ArtifactLimitError(
        `the artifact would hold more than ${mostFiles} files: have the build leave out what nobody needs, or make several modules of it`,
      );
    names.push(name);
  }
  names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const entries: ContentEntry[] = [];
  const blob = await options.store.putBlob(writeTar(options, names, entries));
  return { digest: contentDigest(entries), blob: blob.digest, blobBytes: blob.bytes, files: entries.length };
}

async function* listFiles(root: string, below: string): AsyncGenerator<string> {
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    const unsafe = describeUnsafeName(name);
    if (unsafe !== null) throw new InputError(`${JSON.stringify(name.slice(0, 200))}: ${unsafe}`);
    if (entry.isDirectory()) yield* listFiles(root, name);
    else if (entry.isFile()) yield name;
    else throw new InputError(`${name} is neither a file nor a folder: artifacts hold nothing else`);
  }
}

async function* writeTar(
  options: PackFolder,
  names: readonly string[],
  entries: ContentEntry[],
): AsyncGenerator<Uint8Array> {
  const { limitBytes = sandboxLimits.diskBytes } = options;
  let total = 0;
  for (const name of names) {
    options.signal?.throwIfAborted();
    options.onProgress?.();
    const path = join(options.folder, name);
    const found = await lstat(path);
    const entry = { name, mode: (found.mode & 0o100) === 0 ? ("644" as const) : ("755" as const), bytes: found.size };
    total += found.size;
    if (total > unpackLimits.bytes)
      throw new ArtifactLimitError(
        `the artifact would be larger than ${unpackLimits.bytes} bytes, and no host unpacks more, whatever diskBytes is: have the build leave out what nobody needs, or make several modules of it`,
      );
    if (total > limitBytes)
      throw new ArtifactLimitError(
        `the artifact would be larger than ${limitBytes} bytes: have the build leave out what nobody needs, or raise diskBytes of buildLimits in settings.json`,
      );
    yield writeHeader(entry);
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
    if (bytes !== entry.bytes) throw new Error(`${path} changed while it was packed`);
    yield padding(bytes);
    entries.push({ path: name, mode: entry.mode, bytes, sha256: hash.digest("hex") });
  }
  yield endOfTar;
}
