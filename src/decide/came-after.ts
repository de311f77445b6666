import { timeMs } from "./ages.ts";

/** A report that is kept: when it was made, by its host's clock, and when it came, by the records'. */
export interface ReportTimes {
  readonly reportAt?: string | undefined;
  readonly receivedAt?: string | undefined;
}

/**
 * Whether what a report dates by its host's clock came after a time of the records. The two may be a minute apart: how far,
 * the report itself shows, but for the moment that it was on its way. Where that is not known they are taken as one.
 */
export function cameAfter(at: string, then: string, { reportAt, receivedAt }: ReportTimes): boolean {
  const aheadMs = reportAt === undefined || receivedAt === undefined ? 0 : timeMs(reportAt) - timeMs(receivedAt);
  return timeMs(at) - aheadMs >= timeMs(then);
}
