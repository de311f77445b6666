import type { Manifest } from "../core/manifest.ts";
import type { Name } from "../core/names.ts";
import type { Finding } from "./finding.ts";

export const manifestFile = "mesh.yaml";
export const manifestBytesLimit = 64 * 1024;

export type ManifestReading =
  | { readonly kind: "manifest"; readonly manifest: Manifest }
  | { readonly kind: "refused"; readonly findings: readonly [Finding, ...Finding[]] };

/** Reads the text of a mesh.yaml. Every refusal carries its line. `module`: the name it was registered under. */
export function readManifest(_text: string, _module: Name): ManifestReading {
  throw new Error("not written yet");
}
