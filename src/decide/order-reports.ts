import type { Order } from "../core/declaration.ts";
import type { Digest } from "../core/names.ts";
import type { Report, ReportPlace } from "../core/report.ts";
import { compareOrder, describeOrder } from "./order.ts";

/** Below zero: `a` is older. By (epoch, number, boot, sequence); nothing accepted comes before everything. */
export function compareReports(a: ReportPlace, b: ReportPlace): number {
  const order = compareAccepted(a.has, b.has);
  if (order !== 0) return order;
  return a.boot === b.boot ? a.sequence - b.sequence : a.boot - b.boot;
}

export interface KeepReportInput {
  readonly account:
    | (ReportPlace & {
        readonly incarnation: string;
        /** Which start made it, and when. */ readonly report?: Pick<Report, "bootId" | "at">;
      })
    | null;
  readonly report: Report;
  /** Of the node as enrolled now; null: nobody is. */
  readonly incarnation: string | null;
  /** Digest of what this node was sent under `report.has`; null: the records know no such declaration. */
  readonly sentDigest: Digest | null;
  /** Up to where declarations of the node were pruned. Left out: none were. */
  readonly pruned?: Order | null;
}

export type KeepReport =
  | { readonly kind: "kept" }
  /** The same report again, made at the same moment: its answer was lost. Answered as before, counts nothing. */
  | { readonly kind: "duplicate" }
  | { readonly kind: "older"; readonly message: string }
  | { readonly kind: "wrong-incarnation"; readonly message: string }
  /** It has a declaration these records never sent, or one with other content: another writer, or old records (R35). */
  | { readonly kind: "unknown-declaration"; readonly message: string };

/**
 * Whether a report becomes the node's account. An older one is refused and counted, never kept. The account of a host
 * that was enrolled before under this name is no yardstick for the one that is enrolled now.
 */
export function keepReport(input: KeepReportInput): KeepReport {
  const { account, report, incarnation, sentDigest } = input;
  if (report.incarnation !== incarnation) {
    const enrolled = incarnation === null ? "no host is enrolled" : `${incarnation} is enrolled`;
    const message = `the report is of host ${report.incarnation} of ${report.node}; ${enrolled}`;
    return { kind: "wrong-incarnation", message };
  }
  if (report.has !== null && sentDigest !== report.digest && !isPruned(input)) {
    const what = sentDigest === null ? "which was never sent from these records" : `whose content is not what was sent`;
    return { kind: "unknown-declaration", message: `${report.node} has ${describeOrder(report.has)}, ${what}` };
  }
  if (account === null || account.incarnation !== incarnation) return { kind: "kept" };
  const place = compareReports(report, account);
  if (place > 0) return { kind: "kept" };
  const made = account.report ?? report;
  const isSameStart = made.bootId === report.bootId;
  if (place === 0 && isSameStart && made.at === report.at) return { kind: "duplicate" };
  const whose = place === 0 ? `of another ${isSameStart ? "copy of it" : "start"} ` : "";
  return {
    kind: "older",
    message: `the report is ${describePlace(report)}, ${describePlace(account)} ${whose}is kept already`,
  };
}

/** What it has was left behind, and the record of it is gone: its host was put back, and its report is an older one. */
function isPruned({ account, report, incarnation, sentDigest, pruned = null }: KeepReportInput): boolean {
  if (report.has === null || sentDigest !== null || pruned === null || compareOrder(report.has, pruned) > 0)
    return false;
  return account?.incarnation === incarnation && compareReports(report, account) < 0;
}

function compareAccepted(a: ReportPlace["has"], b: ReportPlace["has"]): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return compareOrder(a, b);
}

function describePlace({ has, boot, sequence }: ReportPlace): string {
  return `${has === null ? "before any declaration" : describeOrder(has)}, boot ${boot}, report ${sequence}`;
}
