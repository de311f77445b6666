import type { Order } from "../core/declaration.ts";
import { provisionKindSchema, type ProvisionKind } from "../core/manifest.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Report, ReportPlace } from "../core/report.ts";
import { judgeReversion, type Reversion } from "./judge-reversion.ts";
import { keepReport, type KeepReport } from "./order-reports.ts";
import { trackFailures, type FailureTrack } from "./track-failures.ts";

/** What the decision about one report needs, read while no other report of the node can be decided. */
export interface ReportFacts {
  readonly account:
    | (ReportPlace & {
        readonly incarnation: string;
        readonly track: FailureTrack;
        /** Which start made it, and when. */ readonly report?: Pick<Report, "bootId" | "at" | "unwritten">;
      })
    | null;
  /** Of the node as enrolled now; null: nobody is, or there is no such node. */
  readonly incarnation: string | null;
  /** Digest of what this node was sent under `report.has`; null: no such declaration is recorded. */
  readonly sentDigest: Digest | null;
  /** Up to where declarations of the node were pruned. Left out: none were. */
  readonly pruned?: Order | null;
  /** ISO, by the records' clock. */
  readonly receivedAt: string;
}

export type ReportDecision =
  | { readonly kind: "kept"; readonly track: FailureTrack }
  | {
      readonly kind: "older";
      readonly message: string;
      readonly reversion?: Reversion | null;
      /** What is kept, for the host to know. */
      readonly kept?: ReportPlace;
    }
  | Exclude<KeepReport, { readonly kind: "kept" | "older" }>;

/** Whether a report becomes the node's account, and what then repeats in it (R32, R38). */
export function judgeReport(report: Report, facts: ReportFacts): ReportDecision {
  const { account, incarnation, sentDigest, pruned = null, receivedAt } = facts;
  const decision = keepReport({ account, report, incarnation, sentDigest, pruned });
  if (decision.kind === "older" && account !== null) return { ...decision, ...lookBack(report, account) };
  if (decision.kind !== "kept") return decision;
  // Another machine under this name begins anew: its boots and sequences may be those that the one before it had.
  const before = account !== null && account.incarnation === report.incarnation ? account.track : null;
  return { kind: "kept", track: trackFailures(before, report, receivedAt) };
}

function lookBack(
  report: Report,
  account: NonNullable<ReportFacts["account"]>,
): { readonly kept: ReportPlace; readonly reversion: Reversion | null } {
  const { has, boot, sequence, report: made } = account;
  const kept = { has, boot, sequence };
  return { kept, reversion: made === undefined ? null : judgeReversion(report, { ...made, ...kept }) };
}

export interface GrantsRead {
  readonly node: Name;
  /** Of the host that read. */
  readonly incarnation: string;
  /** The order of the declaration the host had accepted when it read. */
  readonly has: Order;
  /** One for each grant list that was really read; a provider that could not be read is left out. */
  readonly grants: readonly {
    readonly module: Name;
    readonly kind: ProvisionKind;
    readonly present: readonly { readonly provision: string; readonly version: number }[];
  }[];
}

/**
 * What the provider's host read back as present: what is there is made, and what is gone from it is a debt paid (R20). Null: nothing was read, and
 * a grant that could not be read confirms nothing.
 */
export function listGrantsRead(report: Report): GrantsRead | null {
  if (report.has === null) return null;
  const grants: GrantsRead["grants"][number][] = [];
  for (const resource of report.resources) {
    const [kind, module, provider] = resource.id.split("/");
    if (kind !== "grant" || module === undefined || resource.provisions === undefined) continue;
    const known = provisionKindSchema.safeParse(provider);
    if (known.success) grants.push({ module, kind: known.data, present: resource.provisions });
  }
  return grants.length === 0 ? null : { node: report.node, incarnation: report.incarnation, has: report.has, grants };
}
