import type { Logger } from "pino";
import { lookAtArtifacts, type LookAtArtifacts } from "../activities/look-at-artifacts.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface WatchArtifacts extends Omit<LookAtArtifacts, "signal"> {
  readonly mayAct: () => boolean;
  readonly log: Logger;
  readonly random: () => number;
  /** How often what somebody asked about is looked at. */
  readonly everyMs?: number;
  /** How often all that is needed is. */
  readonly allEveryMs?: number;
}

const everyMs = 2_000;
const allEveryMs = 60_000;

/** Looks whether artifacts are there, so that what is lost is built again before a host asks for it. */
export function watchArtifacts(options: WatchArtifacts): Watch {
  const trouble = watchTrouble(options, {
    code: "artifact-watch-failing",
    subject: "artifacts",
    what: "whether artifacts are there cannot be said",
    remedy: "see that the artifact store's disk is mounted and whole, and the controller's log",
  });
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return keepLooking({
    async look(signal) {
      const all = performance.now() - lookedAtMs >= (options.allEveryMs ?? allEveryMs);
      if (!options.mayAct()) return "enough";
      const before = lookedAtMs;
      // After a failure only a look at everything is a success: one at what was asked about says nothing of the store.
      lookedAtMs = Number.NEGATIVE_INFINITY;
      await lookAtArtifacts({ ...options, signal }, { all });
      lookedAtMs = all ? performance.now() : before;
      return "enough";
    },
    trouble,
    log: options.log,
    failed: "looking at the artifacts failed",
    rhythm: { baseMs: options.everyMs ?? everyMs, longestMs: allEveryMs },
    random: options.random,
  });
}
