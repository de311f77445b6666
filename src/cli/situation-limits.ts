import type { SituationLimits } from "../decide/situation-facts.ts";
import type { MeshSetup } from "./mesh-setup.ts";

/** When knowledge is too old to be told as it is, from the mesh's settings. */
export function situationLimits(setup: Pick<MeshSetup, "settings">): SituationLimits {
  const { silentAfterMs, pollIntervalMs } = setup.settings;
  return {
    silentAfterMs,
    recordsStaleAfterMs: 60_000,
    // A source is looked at every poll interval; some looks may fail before that says anything.
    sourcesStaleAfterMs: Math.max(60_000, pollIntervalMs * 10),
  };
}
