import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Artifact } from "../core/artifact.ts";
import { errorCode, InputError, whenThere } from "../core/errors.ts";
import type { Manifest } from "../core/manifest.ts";
import { digestSchema, type Digest } from "../core/names.ts";
import { describeArtifact, describeStatement, emptyConfig } from "./artifact-manifest.ts";
import { addToIndex, createLayout, withIndex } from "./oci-layout.ts";

export interface ByteRange {
  readonly start: number;
  /** Inclusive, as in HTTP; to the end where it is left out. */
  readonly end?: number;
}

/** Artifacts on disk, as an OCI image layout. Safe for several writers; a reader never sees half a blob. */
export interface ArtifactStore {
  readonly dir: string;
  /** Hashes while it copies; the blob is there under its digest, whole and synced, or not at all. */
  putBlob(bytes: AsyncIterable<Uint8Array>): Promise<{ readonly digest: Digest; readonly bytes: number }>;
  /** Names what was packed: config, manifest and an entry in the index. */
  putArtifact(artifact: Artifact, manifest: Manifest): Promise<void>;
  /** Keeps a signed statement about an artifact beside it, as an OCI referrer; put the artifact before. */
  putStatement(
    about: { readonly artifact: Artifact; readonly manifest: Manifest },
    envelope: Uint8Array,
  ): Promise<{ readonly statement: Digest; readonly referrer: Digest }>;
  hasBlob(digest: Digest): Promise<boolean>;
  /** Null: not here. */
  statBlob(digest: Digest): Promise<{ readonly bytes: number } | null>;
  /** InputError where it is not here. */
  openBlob(digest: Digest, range?: ByteRange): Promise<Readable>;
}

/** What a writer that was killed left behind is removed after this long. */
const leftOverMs = 24 * 3600_000;

export async function openArtifactStore(dir: string): Promise<ArtifactStore> {
  const incoming = join(dir, "incoming");
  await mkdir(join(dir, "blobs", "sha256"), { recursive: true });
  await mkdir(incoming, { recursive: true });
  await createLayout(dir);
  await removeLeftOvers(incoming);
  const pathOf = (digest: Digest): string => pathOfBlob(dir, digest);
  const statBlob = async (digest: Digest): Promise<{ bytes: number } | null> => {
    const size = await sizeOrNull(pathOf(digest));
    return size === null ? null : { bytes: size };
  };
  const putBlob = async (bytes: AsyncIterable<Uint8Array>): Promise<{ digest: Digest; bytes: number }> => {
    const temporary = join(incoming, randomUUID());
    try {
      const written = await writeHashed(temporary, bytes);
      await rename(temporary, pathOf(written.digest));
      await syncFolder(join(dir, "blobs", "sha256"));
      return written;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  };
  // A collection moves a blob aside to look at it again, and back: under the index's lock it is where it belongs, or gone.
  const isKept = async (digest: Digest): Promise<boolean> => {
    if ((await statBlob(digest)) !== null) return true;
    let found = false;
    await withIndex(dir, async (entries) => {
      found = (await statBlob(digest)) !== null;
      return entries;
    });
    return found;
  };
  return {
    dir,
    putBlob,
    statBlob,
    hasBlob: isKept,
    openBlob: async (digest, range) => {
      if ((await statBlob(digest)) === null)
        throw new InputError(
          `blob ${digest} is not in the artifact store`,
          "mesh artifact verify --all names whose it is, mesh build MODULE --again builds that again",
        );
      return createReadStream(pathOf(digest), range);
    },
    putArtifact: async (artifact, manifest) => {
      if (!(await isKept(artifact.blob)))
        throw new Error(`artifact ${artifact.digest} without its blob ${artifact.blob}`);
      const described = describeArtifact(artifact, manifest);
      for (const text of [described.config, described.manifest]) await putBlob(oneChunk(text));
      await addToIndex(dir, described.entry);
    },
    putStatement: async ({ artifact, manifest }, envelope) => {
      const subject = describeArtifact(artifact, manifest).entry;
      if (!(await isKept(subject.digest)))
        throw new Error(`a statement about artifact ${artifact.digest}, which is not in the artifact store`);
      const kept = await putBlob(oneChunk(envelope));
      const referrer = describeStatement(subject, kept);
      for (const text of [emptyConfig, referrer.manifest]) await putBlob(oneChunk(text));
      await addToIndex(dir, referrer.entry);
      return { statement: kept.digest, referrer: referrer.entry.digest };
    },
  };
}

/** A small blob of a store, without opening the store; null: it is not there. */
export async function readBlob(dir: string, digest: Digest): Promise<Buffer | null> {
  return whenThere(readFile(pathOfBlob(dir, digest)));
}

function pathOfBlob(dir: string, digest: Digest): string {
  return join(dir, "blobs", "sha256", digestSchema.parse(digest).slice("sha256:".length));
}

async function* oneChunk(bytes: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof bytes === "string" ? Buffer.from(bytes, "utf8") : bytes;
}

async function writeHashed(
  path: string,
  source: AsyncIterable<Uint8Array>,
): Promise<{ digest: Digest; bytes: number }> {
  const file = await open(path, "wx", 0o644);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of source) {
      hash.update(chunk);
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
      bytes += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { digest: `sha256:${hash.digest("hex")}`, bytes };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function sizeOrNull(path: string): Promise<number | null> {
  return (await whenThere(stat(path)))?.size ?? null;
}

async function removeLeftOvers(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    try {
      if (Date.now() - (await stat(path)).mtimeMs > leftOverMs) await rm(path, { force: true });
    } catch (error) {
      // Put in its place by its writer in the meantime.
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }
}
