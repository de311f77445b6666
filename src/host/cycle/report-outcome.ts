import type { Report, ResourceReport } from "../../core/report.ts";
import { tellEnding } from "../supervisor/ending-words.ts";
import { traceOfDisks } from "./disk-watch.ts";

/** What a report says as a whole. While anything is still on its way, an apply has not ended: `half`. */
export function outcomeOf(resources: readonly ResourceReport[]): Report["outcome"] {
  const states = new Set(resources.map(({ state }) => state));
  if (states.has("waiting")) return "half";
  if (states.has("failed")) return "failed";
  if (states.has("un-ready")) return "un-ready";
  return "applied";
}

/**
 * What makes a report worth sending at once. Words may differ each time; states, drift and provisions matter. Of what is
 * on its way also that it ends, and does so again and again: else *not healthy yet* would be what is read until the next
 * heartbeat.
 */
export function traceOf(
  report: Pick<Report, "has" | "digest" | "outcome" | "resources" | "refusals" | "behind" | "disks">,
): string {
  const { has, digest, outcome, resources, refusals, behind, disks = [] } = report;
  return JSON.stringify([
    has,
    digest,
    outcome,
    resources.map(({ id, state, message, drift, provisions }) => {
      return [id, state, drift, provisions, state === "waiting" ? tellEnding(message) : null];
    }),
    refusals.map(({ check, offered }) => [check, offered]),
    behind,
    traceOfDisks(disks),
  ]);
}
