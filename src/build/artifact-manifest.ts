import { createHash } from "node:crypto";
import type { Artifact } from "../core/artifact.ts";
import { canonicalJson } from "../core/canonical.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Digest } from "../core/names.ts";
import { provenanceType } from "../core/provenance.ts";

/** Our own kinds in a plain image manifest: any registry can hold it, none needs to know referrers. */
export const mediaTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  artifact: "application/vnd.mesh.artifact.v1",
  config: "application/vnd.mesh.artifact.config.v1+json",
  files: "application/vnd.mesh.artifact.files.v1.tar",
  statement: "application/vnd.in-toto+json",
  envelope: "application/vnd.dsse.envelope.v1+json",
  empty: "application/vnd.oci.empty.v1+json",
} as const;

/** What OCI puts where a manifest needs no config. */
export const emptyConfig = "{}";

export interface IndexEntry {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A function of the artifact: no commit, no time, no machine in it. */
export function describeArtifact(
  artifact: Artifact,
  manifest: Manifest,
): { config: string; manifest: string; entry: IndexEntry } {
  const config = canonicalJson({
    module: artifact.module,
    digest: artifact.digest,
    files: artifact.files,
    // Through JSON, so that what the schema left undefined is left out.
    manifest: JSON.parse(JSON.stringify(manifest)),
  });
  const text = canonicalJson({
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    artifactType: mediaTypes.artifact,
    config: { mediaType: mediaTypes.config, digest: digestOf(config), size: Buffer.byteLength(config) },
    layers: [{ mediaType: mediaTypes.files, digest: artifact.blob, size: artifact.blobBytes }],
  });
  const name = `${artifact.module}-${artifact.digest.slice("sha256:".length)}`;
  return {
    config,
    manifest: text,
    entry: {
      mediaType: mediaTypes.manifest,
      digest: digestOf(text),
      size: Buffer.byteLength(text),
      annotations: { "org.opencontainers.image.ref.name": name },
    },
  };
}

/** A referrer: the statement's bytes, with the artifact's manifest as its subject. */
export function describeStatement(
  subject: IndexEntry,
  envelope: { readonly digest: Digest; readonly bytes: number },
): { manifest: string; entry: IndexEntry } {
  const text = canonicalJson({
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    artifactType: mediaTypes.statement,
    config: { mediaType: mediaTypes.empty, digest: digestOf(emptyConfig), size: emptyConfig.length },
    layers: [{ mediaType: mediaTypes.envelope, digest: envelope.digest, size: envelope.bytes }],
    subject: { mediaType: subject.mediaType, digest: subject.digest, size: subject.size },
    annotations: { "in-toto.io/predicate-type": provenanceType },
  });
  return {
    manifest: text,
    entry: { mediaType: mediaTypes.manifest, digest: digestOf(text), size: Buffer.byteLength(text), annotations: {} },
  };
}

function digestOf(text: string): Digest {
  return `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;
}
