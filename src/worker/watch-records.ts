import type { Logger } from "pino";
import { createPruneRecords, pauseFor, pruneAll } from "../activities/prune-records.ts";
import { DeadEpochError, StoppedError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { pruneBoundsOf } from "../decide/plan-prune.ts";
import type { Database } from "../store/database.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface WatchRecords {
  readonly db: Database;
  readonly mesh: Name;
  readonly epoch: number;
  readonly history: Parameters<typeof pruneBoundsOf>[0];
  readonly mayAct: () => boolean;
  readonly log: Logger;
  readonly random: () => number;
  readonly everyMs?: number;
  /** Between two batches that removed something. */
  readonly pauseMs?: number;
}

const hourMs = 3_600_000;
const pauseMs = 500;

/** Removes records that are old and not needed, once an hour, in batches with pauses: pushes go first. */
export function watchRecords(options: WatchRecords): Watch {
  const { db, mesh, epoch, mayAct, log } = options;
  const everyMs = options.everyMs ?? hourMs;
  const bounds = pruneBoundsOf(options.history);
  const records = createPruneRecords(db, mesh);
  return keepLooking({
    async look(signal) {
      if (!mayAct()) return "enough";
      const pause = pauseFor(options.pauseMs ?? pauseMs, signal);
      try {
        const gone = await pruneAll({ records, mesh, epoch, bounds, mayAct, pause });
        if (Object.keys(gone).length > 0) log.info({ gone }, "old records were pruned");
      } catch (error) {
        // Whoever acts now prunes; and while the mesh is stopped nobody does.
        if (!(error instanceof DeadEpochError || error instanceof StoppedError)) throw error;
        log.info({ why: error.message }, "no records are pruned");
      }
      return "enough";
    },
    trouble: watchTrouble(options, {
      code: "records-not-pruned",
      subject: "records",
      what: "old records are not pruned",
      remedy: "see the controller's log, and what would go: mesh records prune",
    }),
    log,
    failed: "pruning old records failed",
    rhythm: { baseMs: everyMs, longestMs: everyMs * 6 },
    random: options.random,
  });
}
