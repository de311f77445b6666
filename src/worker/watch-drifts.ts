import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import type { Report } from "../core/report.ts";
import { describeLost, describeMended, listLost } from "../decide/describe-drifts.ts";
import { clearQuietConditions, observeCondition, type Observation } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { listModulesOf } from "../store/modules-of-node.ts";
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
/** Of one node, until it is written: more modules than that are on no node. */
const lostKept = 1_000;

interface Drifts {
  readonly mended: Observation | null;
  readonly lost: readonly Name[];
}

/**
 * Says what hosts found otherwise than they had read it back, and put right (R44): a host mends within a pass, and without
 * this nobody would know that somebody changed a machine, or that data went.
 */
export function watchDrifts(options: WatchDrifts): DriftWatch {
  const { db, mesh } = options;
  /** By node; the words that were noted last. A host says the same drift in several reports. */
  const said = new Map<Name, string>();
  /** By node: what is newer says it in place of what was not written yet. */
  const due = new Map<Name, Drifts>();
  const add = (node: Name, { mended, lost }: Drifts): void => {
    const before = due.get(node);
    const all = [...new Set([...lost, ...(before?.lost ?? [])])].slice(0, lostKept);
    due.set(node, { mended: mended ?? before?.mended ?? null, lost: all });
  };
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
      for (const [node, seen] of due) {
        due.delete(node);
        try {
          const lost = seen.lost.length === 0 ? [] : await listModulesOf(db, mesh, { node, among: seen.lost });
          for (const one of [...(seen.mended === null ? [] : [seen.mended]), ...describeLost(node, lost)])
            await observeCondition(db, mesh, one);
        } catch (error) {
          const newer = due.get(node);
          due.delete(node);
          add(node, seen);
          if (newer !== undefined) add(node, newer);
          throw error;
        }
      }
      await clearQuietConditions(db, mesh, { code: "drift-mended", quietMs: options.quietMs ?? quietMs });
      return "enough";
    },
  });
  return {
    ...watch,
    note: (report) => {
      const seen = { mended: describeMended(report), lost: listLost(report).slice(0, lostKept) };
      const words = seen.mended === null && seen.lost.length === 0 ? null : JSON.stringify(seen);
      if ((said.get(report.node) ?? null) === words) return;
      if (words === null) said.delete(report.node);
      else {
        said.set(report.node, words);
        add(report.node, seen);
      }
    },
  };
}
