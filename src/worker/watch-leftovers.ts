import type { Logger } from "pino";
import { tidyLeftovers, type TidyLeftovers } from "../activities/tidy-leftovers.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface WatchLeftovers extends Omit<TidyLeftovers, "sizes" | "now"> {
  readonly mayAct: () => boolean;
  readonly log: Logger;
  readonly random: () => number;
  readonly everyMs?: number;
}

const hourMs = 3_600_000;

/** Removes what builds leave behind, once an hour, and says each thing that went in the log. */
export function watchLeftovers(options: WatchLeftovers): Watch {
  const sizes = new Map<string, number>();
  const trouble = watchTrouble(options, {
    code: "leftovers-failing",
    subject: "leftovers",
    what: "what builds left behind is not removed",
    remedy: "see the controller's log, and what would go: mesh artifact gc",
  });
  const everyMs = options.everyMs ?? hourMs;
  return keepLooking({
    async look() {
      if (!options.mayAct()) return "enough";
      const { removed } = await tidyLeftovers({ ...options, sizes, now: () => new Date() });
      for (const { kind, name, bytes, why } of removed)
        options.log.info({ kind, name, bytes, why }, "removed what a build left behind");
      return "enough";
    },
    trouble,
    log: options.log,
    failed: "removing what builds left behind failed",
    rhythm: { baseMs: everyMs, longestMs: everyMs * 6 },
    random: options.random,
  });
}
