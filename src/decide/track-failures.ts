import type { Report } from "../core/report.ts";
import type { ReportPlace } from "./order-reports.ts";

/** The same failure so often is *stuck* (R32). */
export const stuckAfterReports = 3;
/** Failures that alternate are caught by this many reports in a row without success. */
export const noSuccessAfterReports = 5;

/** What repeats in a node's reports; kept beside the account. */
export interface FailureTrack extends ReportPlace {
  /** Sorted ids of the resources that fail. */
  readonly failing: readonly string[];
  readonly failingSince: string | null;
  readonly failingCount: number;
  readonly noSuccessSince: string | null;
  readonly noSuccessCount: number;
}

/** The track after one more kept report. `receivedAt`: ISO, the controller's clock. */
export function trackFailures(_previous: FailureTrack | null, _report: Report, _receivedAt: string): FailureTrack {
  throw new Error("not written yet");
}

/** A label, never a latch: the host keeps trying, and a newer declaration is sent and tried. */
export function isStuck(track: Pick<FailureTrack, "failingCount" | "noSuccessCount">): boolean {
  return track.failingCount >= stuckAfterReports || track.noSuccessCount >= noSuccessAfterReports;
}
