import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import { backOffMs } from "../decide/back-off.ts";
import type { LoopTrouble } from "./note-trouble.ts";

export interface Watch {
  /** Ends the pause, or waits for the look that is under way. */
  stop(): Promise<void>;
}

export interface KeepLooking {
  /** `again`: there may be more at once; else after a pause. */
  readonly look: (stopped: AbortSignal) => Promise<"again" | "enough">;
  /** Open while it does not get on (R33). */
  readonly trouble: LoopTrouble;
  readonly log: Logger;
  /** For the log, where a look failed. */
  readonly failed: string;
  /** Between looks, and the longest one after failures, in milliseconds. */
  readonly rhythm: { readonly baseMs: number; readonly longestMs: number };
  /** From 0 up to 1. Left out: Math.random. */
  readonly random?: () => number;
}

/** Looks, and looks again, less and less often while that fails, until told to stop. What a look throws ends nothing. */
export function keepLooking(options: KeepLooking): Watch {
  const { look, trouble, log, rhythm, random = Math.random } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const running = loop();

  async function loop(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      let found: "again" | "enough" = "enough";
      try {
        found = await look(signal);
        failures = 0;
        await trouble.fine();
      } catch (error) {
        // What was cut off by the stop is no trouble.
        if (signal.aborted) break;
        failures += 1;
        log.error({ err: error, failures }, options.failed);
        await trouble.failed(error);
      }
      if (found === "enough") await pause(backOffMs(rhythm, failures, random()));
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
