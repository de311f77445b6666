import type { Logger } from "pino";
import { checkNextBuild, type CheckDependencies } from "../activities/check-next-build.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface WatchSecondBuilds extends Omit<CheckDependencies, "signal"> {
  readonly mayAct: () => boolean;
  readonly log: Logger;
  readonly random: () => number;
  readonly idleMs?: number;
}

const idleMs = 10_000;
const longestPauseMs = 600_000;

/**
 * Runs second builds one at a time while nothing else is built. Outside of Temporal, as the look at the sources is: what
 * is due is in the records, so a run that was cut off is found there again, and no wave and no history waits for it.
 */
export function watchSecondBuilds(options: WatchSecondBuilds): Watch {
  return keepLooking({
    ...options,
    trouble: watchTrouble(options, {
      code: "second-build-watch-failing",
      subject: "second builds",
      what: "second builds cannot be made",
      remedy: "see the controller's log; it tries again with growing pauses, and no verdict waits for it",
    }),
    failed: "a second build could not be compared",
    rhythm: { baseMs: options.idleMs ?? idleMs, longestMs: longestPauseMs },
    async look(signal) {
      const result = options.mayAct() ? await checkNextBuild({ ...options, signal }) : "none";
      if (result === "none") return "enough";
      options.log.info({ result }, "a second build was compared");
      return "again";
    },
  });
}
