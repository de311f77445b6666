import { type ArtifactRow, reproducibleOf } from "../text/artifact-text.ts";
import type { KnownArtifact } from "./load-artifacts.ts";

export function rowOf(known: KnownArtifact): ArtifactRow {
  return {
    ...known.artifact,
    builtAt: known.builtAt,
    collectedAt: known.collectedAt,
    commit: known.build?.commit ?? null,
    isFit: known.isFit,
    sentTo: known.sentTo,
    reproducible: reproducibleOf(known.check),
  };
}
