import type { Digest } from "../core/names.ts";
import type { Report } from "../core/report.ts";

/** A report's place in its host's order (R38). */
export type ReportPlace = Pick<Report, "has" | "boot" | "sequence">;

/** Below zero: `a` is older. By (epoch, number, boot, sequence); nothing accepted comes before everything. */
export function compareReports(_a: ReportPlace, _b: ReportPlace): number {
  throw new Error("not written yet");
}

export interface KeepReportInput {
  readonly account: (ReportPlace & { readonly incarnation: string }) | null;
  readonly report: Report;
  /** Of the node as enrolled now; null: nobody is. */
  readonly incarnation: string | null;
  /** Digest of what this node was sent under `report.has`; null: the records know no such declaration. */
  readonly sentDigest: Digest | null;
}

export type KeepReport =
  | { readonly kind: "kept" }
  /** The same report again: its answer was lost. Answered as before, counts nothing. */
  | { readonly kind: "duplicate" }
  | { readonly kind: "older"; readonly message: string }
  | { readonly kind: "wrong-incarnation"; readonly message: string }
  /** It has a declaration these records never sent, or one with other content: another writer, or old records (R35). */
  | { readonly kind: "unknown-declaration"; readonly message: string };

/** Whether a report becomes the node's account. An older one is refused and counted, never kept. */
export function keepReport(_input: KeepReportInput): KeepReport {
  throw new Error("not written yet");
}
