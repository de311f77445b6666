import type { SituationLimits } from "../decide/situation-facts.ts";

/** How old knowledge may be before it is no knowledge any more, from a mesh's settings. */
export function situationLimits(settings: {
  readonly silentAfterMs: number;
  readonly pollIntervalMs: number;
}): SituationLimits {
  return {
    silentAfterMs: settings.silentAfterMs,
    recordsStaleAfterMs: 30_000,
    // Ten looks in a row that told nothing, and never less than five minutes.
    sourcesStaleAfterMs: Math.max(settings.pollIntervalMs * 10, 300_000),
  };
}
