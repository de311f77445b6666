import type { Readable } from "node:stream";
import type { Artifact } from "../core/artifact.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Digest } from "../core/names.ts";

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
  hasBlob(digest: Digest): Promise<boolean>;
  /** Null: not here. */
  statBlob(digest: Digest): Promise<{ readonly bytes: number } | null>;
  /** InputError where it is not here. */
  openBlob(digest: Digest, range?: ByteRange): Promise<Readable>;
}

export async function openArtifactStore(_dir: string): Promise<ArtifactStore> {
  throw new Error("not written yet");
}
