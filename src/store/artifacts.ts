import { z } from "zod";
import { artifactSchema, type Artifact } from "../core/artifact.ts";
import { manifestSchema, type Manifest } from "../core/manifest.ts";
import type { Digest, Name } from "../core/names.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

const artifactRecordSchema = z
  .object({
    ...artifactSchema.shape,
    blobBytes: bigintColumn,
    manifest: manifestSchema,
    builtAt: timeColumn,
    packedAt: timeColumn,
    collectedAt: timeColumn.nullable(),
  })
  .transform(({ manifest, builtAt, packedAt, collectedAt, ...artifact }) => ({
    artifact,
    manifest,
    builtAt,
    /** The last time that a build gave it: later than the first, where the same came out again. */
    packedAt,
    /** When its files were collected; null: they are there. */
    collectedAt,
  }));
export type ArtifactRecord = z.output<typeof artifactRecordSchema>;

const columns = `module, digest, blob, blob_bytes as "blobBytes", files, manifest, built_at as "builtAt",
  packed_at as "packedAt", collected_at as "collectedAt"`;

/** Keeps an artifact. The digest names the content, so the first record of it stands; that it was packed again is noted. */
export async function putArtifact(db: Queryable, mesh: Name, artifact: Artifact, manifest: Manifest): Promise<void> {
  const { module, digest, blob, blobBytes, files } = artifactSchema.parse(artifact);
  await run(
    db,
    `insert into artifact (mesh, module, digest, blob, blob_bytes, files, manifest) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (mesh, module, digest) do update set packed_at = now(), collected_at = null`,
    [mesh, module, digest, blob, blobBytes, files, storableJson(manifest)],
  );
}

export function getArtifact(db: Queryable, mesh: Name, module: Name, digest: Digest): Promise<ArtifactRecord | null> {
  return maybeOne(
    db,
    artifactRecordSchema,
    `select ${columns} from artifact where mesh = $1 and module = $2 and digest = $3`,
    [mesh, module, digest],
  );
}

/** Newest first. */
export function listArtifacts(db: Queryable, mesh: Name, module: Name): Promise<ArtifactRecord[]> {
  return many(
    db,
    artifactRecordSchema,
    `select ${columns} from artifact where mesh = $1 and module = $2 order by built_at desc, digest`,
    [mesh, module],
  );
}

/** The artifact whose travelling bytes have this digest, of whichever module; null: not one of ours. */
export function getArtifactByBlob(db: Queryable, mesh: Name, blob: Digest): Promise<ArtifactRecord | null> {
  return maybeOne(
    db,
    artifactRecordSchema,
    `select ${columns} from artifact where mesh = $1 and blob = $2 order by module, digest limit 1`,
    [mesh, blob],
  );
}

/** All of a mesh, by module, the newest first. */
export function listAllArtifacts(db: Queryable, mesh: Name): Promise<ArtifactRecord[]> {
  return many(
    db,
    artifactRecordSchema,
    `select ${columns} from artifact where mesh = $1 order by module, built_at desc, digest`,
    [mesh],
  );
}
