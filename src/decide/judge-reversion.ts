import type { Order } from "../core/declaration.ts";
import type { Report, ReportPlace } from "../core/report.ts";
import { compareReports } from "./order-reports.ts";
import { describeOrder } from "./order.ts";

/** Where the host went back to, and how that is known. */
export interface Reversion {
  /** Null: to before its first declaration. */
  readonly to: Order | null;
  /** A sentence. */
  readonly why: string;
}

type KnownReport = ReportPlace & Pick<Report, "bootId" | "at" | "unwritten">;

/**
 * A report that comes before the one that is kept is *late*, and no news; or its host went back: its disk is that of an
 * earlier day (a snapshot was put back), or a copy of it runs beside it. No clock says which, order does: a host that
 * only goes on makes nothing lower after what is kept, so one that was told what is kept, and is lower still, went back.
 * And no two starts of one disk have the same number, unless one of them could not write its number down; nor do two reports
 * of one start, which were made at different moments: a machine that was resumed from a snapshot has the start of the other one.
 */
export function judgeReversion(report: KnownReport & Pick<Report, "behind">, kept: KnownReport): Reversion | null {
  const place = compareReports(report, kept);
  const to = report.has;
  const was = sayPlace(kept);
  const isWritten = report.unwritten !== true && kept.unwritten !== true;
  if (place <= 0 && isWritten && report.boot === kept.boot && report.bootId !== kept.bootId)
    return {
      to,
      why: `two starts of it are number ${report.boot}: its disk was put back, or a copy of it runs. It was at ${was}`,
    };
  if (place === 0 && report.bootId === kept.bootId && report.at !== kept.at)
    return { to, why: `two reports of one start of it are ${sayPlace(report)}: a copy of its machine runs` };
  if (place >= 0 || report.behind === undefined || compareReports(report.behind, kept) < 0) return null;
  return { to, why: `it was told that ${was} is kept, and reports ${sayPlace(report)}: its disk was put back` };
}

function sayPlace({ has, boot, sequence }: ReportPlace): string {
  return `${has === null ? "no declaration" : describeOrder(has)} (start ${boot}, report ${sequence})`;
}
