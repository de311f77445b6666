import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import { checkNextBuild, type CheckDependencies } from "../activities/check-next-build.ts";
import { backOffMs } from "../decide/back-off.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface SecondBuildWatch {
  stop(): Promise<void>;
}

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
export function watchSecondBuilds(options: WatchSecondBuilds): SecondBuildWatch {
  const stopped = new AbortController();
  const { signal } = stopped;
  const trouble = watchTrouble(options, {
    code: "second-build-watch-failing",
    subject: "second builds",
    what: "second builds cannot be made",
    remedy: "see the controller's log; it tries again with growing pauses, and no verdict waits for it",
  });
  const running = loop();

  async function loop(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      let result: Awaited<ReturnType<typeof checkNextBuild>> = "none";
      try {
        if (options.mayAct()) result = await checkNextBuild({ ...options, signal });
        failures = 0;
        await trouble.fine();
        if (result !== "none") options.log.info({ result }, "a second build was compared");
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        options.log.error({ err: error, failures }, "a second build could not be compared");
        await trouble.failed(error);
      }
      const rhythm = { baseMs: options.idleMs ?? idleMs, longestMs: longestPauseMs };
      if (result === "none") await pause(backOffMs(rhythm, failures, options.random()));
    }
  }

  async function pause(ms: number): Promise<void> {
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      // absence is the answer: stopped while it waited
      if (!signal.aborted) throw error;
    }
  }

  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
