import type { Order } from "../core/declaration.ts";
import type { Report } from "../core/report.ts";
import { timeMs } from "./ages.ts";
import { compareReports, type ReportPlace } from "./order-reports.ts";
import { describeOrder } from "./order.ts";

/** Where the host went back to, and how that is known. */
export interface Reversion {
  /** Null: to before its first declaration. */
  readonly to: Order | null;
  /** A sentence. */
  readonly why: string;
}

type KnownReport = ReportPlace & Pick<Report, "bootId" | "at">;

/**
 * A report that comes before the one that is kept is *late*, and no news; or its host went back: its disk is that of an
 * earlier day (a snapshot was put back), or a copy of it runs beside it. Late ones were made before the kept one, by the
 * clock of the host that made both; and no two starts of one disk have the same number and another id. A host whose clock
 * was set back meanwhile can look so for one report: the next one that is kept ends it. (boot, sequence) cannot tell these two
 * apart: of an earlier start its id is not known here any more, and a snapshot of a running machine has the very same start.
 */
export function judgeReversion(report: KnownReport, kept: KnownReport): Reversion | null {
  if (compareReports(report, kept) >= 0) return null;
  const to = report.has;
  const was = sayPlace(kept);
  if (report.boot === kept.boot && report.bootId !== kept.bootId)
    return {
      to,
      why: `two starts of it are number ${report.boot}: its disk was put back, or a copy of it runs. It was at ${was}`,
    };
  if (timeMs(report.at) <= timeMs(kept.at)) return null;
  return { to, why: `at ${report.at} it reported ${sayPlace(report)}, and had been at ${was}: its disk was put back` };
}

function sayPlace({ has, boot, sequence }: ReportPlace): string {
  return `${has === null ? "no declaration" : describeOrder(has)} (start ${boot}, report ${sequence})`;
}
