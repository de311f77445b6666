import type { Provision } from "../../../src/core/provision.ts";
import type { Report } from "../../../src/core/report.ts";
import { type GrantsRead, judgeReport } from "../../../src/decide/judge-report.ts";
import type { Claim } from "../../../src/decide/judge-claim.ts";
import { compareOrder } from "../../../src/decide/order.ts";
import { describeSecondWriter, listForeign, listNewOffers } from "../../../src/decide/find-second-writer.ts";
import type { AccountRecord } from "../../../src/store/read-accounts.ts";
import type { Hooks, ReportAnswered } from "./backend.ts";
import { heed, settle } from "./claim-twin.ts";
import { type Draft, mapChanged, put } from "./state.ts";

/** `keepAccount` with its decision, in one transaction. */
export function keepReport(
  draft: Draft,
  report: Report,
  receivedAt: string,
  hooks: Pick<Hooks, "onReverted" | "onSecondWriter">,
): ReportAnswered {
  const node = draft.nodes.get(report.node);
  const account = draft.accounts.get(report.node) ?? null;
  const has = report.has;
  const sent =
    has === null
      ? undefined
      : draft.declarations.get(report.node)?.find((one) => compareOrder(one.sent.order, has) === 0);
  const decision = judgeReport(report, {
    account,
    incarnation: node?.incarnation ?? null,
    sentDigest: sent?.sent.digest ?? null,
    pruned: draft.pruned.get(report.node) ?? null,
    receivedAt,
  });
  if (decision.kind === "kept") {
    const { boot, sequence, digest, outcome, incarnation } = report;
    const place = { has, boot, sequence };
    const kept = {
      ...place,
      node: report.node,
      incarnation,
      digest,
      outcome,
      report,
      receivedAt,
      readBackAt: new Date(Date.parse(receivedAt) - (report.readBack?.agoMs ?? 0)).toISOString(),
      track: decision.track,
      reverted: null,
    };
    draft.accounts = put(draft.accounts, report.node, kept);
    noteSecondWriter(draft, report, account, hooks);
    if (has !== null) settle(draft, report.node, has);
    return "kept";
  }
  if (decision.kind === "duplicate") return "duplicate";
  if (decision.kind === "older" && decision.reversion && account !== null) {
    hooks.onReverted(report, decision.reversion.why);
    const since = account.reverted?.since ?? receivedAt;
    draft.accounts = put(draft.accounts, report.node, {
      ...account,
      reverted: { ...decision.reversion, since, heardAt: receivedAt },
    });
  }
  if (node !== undefined)
    draft.nodes = put(draft.nodes, node.name, { ...node, refusedReports: node.refusedReports + 1 });
  const claim = claimOf(report);
  if (decision.kind === "unknown-declaration" && claim !== null) heed(draft, claim, receivedAt);
  return decision.kind === "older" ? "older" : "refused";
}

/** `noteSecondWriter`. */
function noteSecondWriter(
  { declarations, pruned, recovered }: Draft,
  report: Report,
  before: Pick<AccountRecord, "incarnation" | "report"> | null,
  { onSecondWriter }: Pick<Hooks, "onSecondWriter">,
): void {
  const offers = listNewOffers(report, before?.incarnation === report.incarnation ? before.report.refusals : null);
  const sent = (declarations.get(report.node) ?? []).map((one) => one.sent.order);
  const foreign = listForeign(report, offers, { sent, pruned: pruned.get(report.node) ?? null, recovered });
  if (foreign.length > 0) onSecondWriter(describeSecondWriter(report.node, foreign).message);
}

/** What it says that it has; null: nothing. */
export function claimOf({ node, incarnation, has, digest }: Report): Claim | null {
  return has === null ? null : { node, incarnation, order: has, digest };
}

/** `confirmWithdrawals`. */
export function confirm(draft: Draft, read: GrantsRead, onWithdrawn: (provision: Provision) => void): void {
  draft.provisions = mapChanged(draft.provisions, (one) => {
    const { provision, told } = one;
    if (provision.state !== "owed" || provision.provider.node !== read.node || told === null) return one;
    if (compareOrder(told, read.has) > 0) return one;
    const list = read.grants.find(
      (grant) => grant.module === provision.provider.module && grant.kind === provision.kind,
    );
    if (list === undefined) return one;
    if (list.present.some((each) => each.provision === provision.id && each.version === provision.version)) return one;
    onWithdrawn(provision);
    return { ...one, provision: { ...provision, state: "withdrawn" } };
  });
}
