import type { Report, ReportPlace } from "../core/report.ts";
import { hasFailed } from "./has-failed.ts";
import { compareOrder } from "./order.ts";
import { compareText } from "./short-names.ts";

/** The same failure so often is *stuck* (R32). */
export const stuckAfterReports = 3;
/** Failures that alternate are caught by this many failed reports without a success between them. */
export const noSuccessAfterReports = 5;

/** What repeats in a node's reports; kept beside the account. */
export interface FailureTrack extends ReportPlace {
  /** Of the declaration it is about: since when each report says *applied*; null: the last one does not. */
  readonly appliedSince: string | null;
  /** Sorted ids of the resources that fail. */
  readonly failing: readonly string[];
  readonly failingSince: string | null;
  readonly failingCount: number;
  readonly noSuccessSince: string | null;
  readonly noSuccessCount: number;
}

/**
 * The track after one more kept report. `receivedAt`: ISO, the controller's clock.
 * A newer declaration starts afresh: what was wrong with the one before it does not count against it (case 31). Only
 * ends of a pass count: *applied* clears, what *failed* counts, also beside what still waits; a pass under way, waiting and
 * un-ready say nothing yet.
 */
export function trackFailures(previous: FailureTrack | null, report: Report, receivedAt: string): FailureTrack {
  const { has, boot, sequence } = report;
  const isAgain = previous !== null && boot === previous.boot && sequence === previous.sequence;
  if (isAgain && isSameDeclaration(previous.has, has)) return previous;
  const place: ReportPlace = { has, boot, sequence };
  const before = previous !== null && isSameDeclaration(previous.has, has) ? { ...previous, ...place } : clean(place);
  // Also a heartbeat: where two starts of a host have one number, what it says again was never counted.
  if (report.outcome === "applied") return { ...clean(place), appliedSince: before.appliedSince ?? receivedAt };
  if (previous !== null && isHeartbeatOf(previous, report)) return { ...previous, ...place };
  if (!isFailedPass(report)) return { ...before, appliedSince: null };
  const failing = listFailing(report);
  const repeats = before.failingCount > 0 && failing.join("\n") === before.failing.join("\n");
  return {
    ...place,
    appliedSince: null,
    failing,
    failingSince: repeats ? before.failingSince : receivedAt,
    failingCount: repeats ? before.failingCount + 1 : 1,
    noSuccessSince: before.noSuccessSince ?? receivedAt,
    noSuccessCount: before.noSuccessCount + 1,
  };
}

/** What it says again was counted: no look is behind it. Where that report never came, this one stands for it. */
function isHeartbeatOf(previous: FailureTrack, { has, boot, repeats }: Report): boolean {
  if (repeats === undefined || !isSameDeclaration(previous.has, has)) return false;
  return previous.boot === boot && previous.sequence >= repeats;
}

/** A label, never a latch: the host keeps trying, and a newer declaration is sent and tried. */
export function isStuck(track: Pick<FailureTrack, "failingCount" | "noSuccessCount">): boolean {
  return track.failingCount >= stuckAfterReports || track.noSuccessCount >= noSuccessAfterReports;
}

/** Half without anything that waits is said while a pass goes on: what it failed is said again when it ends, and counted then. */
function isFailedPass(report: Report): boolean {
  return (
    hasFailed(report) && (report.outcome === "failed" || report.resources.some(({ state }) => state === "waiting"))
  );
}

export function clean(place: ReportPlace): FailureTrack {
  return {
    ...place,
    appliedSince: null,
    failing: [],
    failingSince: null,
    failingCount: 0,
    noSuccessSince: null,
    noSuccessCount: 0,
  };
}

/** By id, whatever the words: a pid or a time in a message makes it no other failure (case 29). */
function listFailing(report: Report): string[] {
  return report.resources
    .filter((resource) => resource.state === "failed")
    .map((resource) => resource.id)
    .toSorted(compareText);
}

function isSameDeclaration(a: ReportPlace["has"], b: ReportPlace["has"]): boolean {
  return a === null || b === null ? a === b : compareOrder(a, b) === 0;
}
