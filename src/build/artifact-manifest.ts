import { createHash } from "node:crypto";
import type { Artifact } from "../core/artifact.ts";
import { canonicalJson } from "../core/canonical.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Digest } from "../core/names.ts";

/** Our own kinds in a plain image manifest: any registry can hold it, none needs to know referrers. */
export const mediaTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  artifact: "application/vnd.mesh.artifact.v1",
  config: "application/vnd.mesh.artifact.config.v1+json",
  files: "application/vnd.mesh.artifact.files.v1.tar",
} as const;

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

function digestOf(text: string): Digest {
  return `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;
}
