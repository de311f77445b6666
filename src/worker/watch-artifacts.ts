import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import { lookAtArtifacts, type LookAtArtifacts } from "../activities/look-at-artifacts.ts";
import { backOffMs } from "../decide/back-off.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface ArtifactWatch {
  stop(): Promise<void>;
}

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
export function watchArtifacts(options: WatchArtifacts): ArtifactWatch {
  const stopped = new AbortController();
  const { signal } = stopped;
  const trouble = watchTrouble(options, {
    code: "artifact-watch-failing",
    subject: "artifacts",
    what: "whether artifacts are there cannot be said",
    remedy: "see that the artifact store's disk is mounted and whole, and the controller's log",
  });
  const running = loop();

  async function loop(): Promise<void> {
    let failures = 0;
    let lookedAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const all = performance.now() - lookedAtMs >= (options.allEveryMs ?? allEveryMs);
      try {
        if (options.mayAct()) {
          await lookAtArtifacts({ ...options, signal }, { all });
          if (all) lookedAtMs = performance.now();
        }
        // A look at what was asked about says nothing of the store where nobody asks.
        if (all || failures > 0) await trouble.fine();
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        // After a failure only a look at everything is a success.
        lookedAtMs = Number.NEGATIVE_INFINITY;
        options.log.error({ err: error, failures }, "looking at the artifacts failed");
        await trouble.failed(error);
      }
      await pause(backOffMs({ baseMs: options.everyMs ?? everyMs, longestMs: allEveryMs }, failures, options.random()));
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
