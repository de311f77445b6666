import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import type { Report } from "../core/report.ts";
import { describeDrifts } from "../decide/describe-drifts.ts";
import { clearQuietConditions, observeCondition, type Observation } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface DriftWatch extends Watch {
  /** Of each report that is kept: cheap, and nothing is waited for. */
  readonly note: (report: Pick<Report, "node" | "resources">) => void;
}

export interface WatchDrifts {
  readonly db: Database;
  readonly mesh: Name;
  readonly log: Logger;
  readonly everyMs?: number;
  /** So long after it was last found the condition is over. */
  readonly quietMs?: number;
}

const everyMs = 5_000;
const quietMs = 3_600_000;

/**
 * Says what hosts found otherwise than they had read it back, and put right (R44): a host mends within a pass, and without
 * this nobody would know that somebody changed a machine, or that data went.
 */
export function watchDrifts(options: WatchDrifts): DriftWatch {
  const { db, mesh } = options;
  /** By node; the words that were noted last. A host says the same drift in several reports. */
  const said = new Map<Name, string>();
  /** By code and subject: what is newer says it in place of what was not written yet. */
  const due = new Map<string, Observation>();
  const watch = keepLooking({
    ...options,
    trouble: watchTrouble(options, {
      code: "drift-watch-failing",
      subject: "drift",
      what: "it could not be kept what hosts found changed",
      remedy: "see the controller's log; it tries again with growing pauses",
    }),
    failed: "it could not be kept what hosts found changed",
    rhythm: { baseMs: options.everyMs ?? everyMs, longestMs: 300_000 },
    async look() {
      for (const [key, seen] of due) {
        await observeCondition(db, mesh, seen);
        if (due.get(key) === seen) due.delete(key);
      }
      await clearQuietConditions(db, mesh, { code: "drift-mended", quietMs: options.quietMs ?? quietMs });
      return "enough";
    },
  });
  return {
    ...watch,
    note: (report) => {
      const seen = describeDrifts(report);
      const words = JSON.stringify(seen);
      if ((said.get(report.node) ?? "[]") === words) return;
      if (seen.length === 0) said.delete(report.node);
      else said.set(report.node, words);
      for (const one of seen) due.set(`${one.code} ${one.subject}`, one);
    },
  };
}
