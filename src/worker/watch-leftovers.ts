import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import { tidyLeftovers, type TidyLeftovers } from "../activities/tidy-leftovers.ts";
import { backOffMs } from "../decide/back-off.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface LeftoverWatch {
  stop(): Promise<void>;
}

export interface WatchLeftovers extends Omit<TidyLeftovers, "sizes" | "now"> {
  readonly mayAct: () => boolean;
  readonly log: Logger;
  readonly random: () => number;
  readonly everyMs?: number;
}

const hourMs = 3_600_000;

/** Removes what builds leave behind, once an hour, and says each thing that went in the log. */
export function watchLeftovers(options: WatchLeftovers): LeftoverWatch {
  const stopped = new AbortController();
  const { signal } = stopped;
  const sizes = new Map<string, number>();
  const trouble = watchTrouble(options, {
    code: "leftovers-failing",
    subject: "leftovers",
    what: "what builds left behind is not removed",
    remedy: "see the controller's log, and what would go: mesh artifact gc",
  });
  const running = loop();

  async function loop(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        if (options.mayAct()) {
          const { removed } = await tidyLeftovers({ ...options, sizes, now: () => new Date() });
          for (const { kind, name, bytes, why } of removed)
            options.log.info({ kind, name, bytes, why }, "removed what a build left behind");
        }
        failures = 0;
        await trouble.fine();
      } catch (error) {
        failures += 1;
        options.log.error({ err: error, failures }, "removing what builds left behind failed");
        await trouble.failed(error);
      }
      const everyMs = options.everyMs ?? hourMs;
      await pause(backOffMs({ baseMs: everyMs, longestMs: everyMs * 6 }, failures, options.random()));
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
