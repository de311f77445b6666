import type { Order } from "../core/declaration.ts";
import type { Digest } from "../core/names.ts";
import type { Report, UnorderedReport } from "../core/report.ts";
import { trackFailures, type FailureTrack } from "./track-failures.ts";
import type { ReportFacts } from "./judge-report.ts";

/** What the decision about a report without an order needs: what the node was last sent, to whichever host. */
export interface UnorderedFacts extends Pick<ReportFacts, "account" | "incarnation" | "receivedAt"> {
  readonly lastSent: { readonly order: Order; readonly digest: Digest; readonly incarnation: string } | null;
}

export type UnorderedDecision =
  /** `report`: with the place that it has by what was last sent. */
  | { readonly kind: "kept"; readonly report: Report; readonly track: FailureTrack }
  | { readonly kind: "wrong-incarnation" | "other-digest"; readonly message: string };

/**
 * R37: the report of a host that does not speak ordering counts when its digest is the one last sent, and is refused
 * else. It is put behind the report that is here, since nothing in it says where it belongs.
 */
export function judgeUnordered(report: UnorderedReport, facts: UnorderedFacts): UnorderedDecision {
  const { account, incarnation, receivedAt } = facts;
  if (report.incarnation !== incarnation) {
    const enrolled = incarnation === null ? "no host is enrolled" : `${incarnation} is enrolled`;
    const message = `the report is of host ${report.incarnation} of ${report.node}; ${enrolled}`;
    return { kind: "wrong-incarnation", message };
  }
  const sent = facts.lastSent?.incarnation === incarnation ? facts.lastSent : null;
  if (report.digest !== (sent?.digest ?? null)) {
    const wanted = sent === null ? "it was sent nothing" : `it was last sent ${sent.digest}`;
    return { kind: "other-digest", message: `the report is about ${report.digest ?? "nothing"}, ${wanted}` };
  }
  const before = account?.incarnation === incarnation ? account : null;
  const place = { has: sent?.order ?? null, boot: before?.boot ?? 0, sequence: (before?.sequence ?? 0) + 1 };
  const placed: Report = { ...report, ...place, bootId: "unordered" };
  return { kind: "kept", report: placed, track: trackFailures(before?.track ?? null, placed, receivedAt) };
}
