import type { Order } from "../../../src/core/declaration.ts";
import { judgeClaim, type Claim, type ClaimJudgement } from "../../../src/decide/judge-claim.ts";
import { compareOrder } from "../../../src/decide/order.ts";
import type { ClaimRecord } from "../../../src/store/claims.ts";
import { type Draft, put, type Records } from "./state.ts";

/** What `heedClaim` would find, without keeping it: whether it needs the gate. */
export function judge(records: Records, claim: Claim): ClaimJudgement {
  const sent = records.declarations
    .get(claim.node)
    ?.find((one) => compareOrder(one.sent.order, claim.order) === 0)?.sent;
  const known = records.claims.get(claim.node);
  return judgeClaim(claim, {
    incarnation: records.nodes.get(claim.node)?.incarnation ?? null,
    sentDigest: sent?.digest ?? null,
    pruned: records.pruned.get(claim.node) ?? null,
    recovered: records.recovered,
    isLeftOut: known?.incarnation === claim.incarnation && known.isLeftOut,
  });
}

/** `heedClaim`. */
export function heed(draft: Draft, claim: Claim, nowIso: string): ClaimJudgement {
  const judged = judge({ ...draft }, claim);
  if (judged.kind === "known") return judged;
  const before = draft.claims.get(claim.node);
  const same = before?.incarnation === claim.incarnation ? before : undefined;
  draft.claims = put(draft.claims, claim.node, merge(same, claim, judged.kind, nowIso));
  if (judged.stops) draft.stop ??= { since: nowIso, reason: "hosts-ahead" };
  return judged;
}

/** A late word does not lower what the host said already. */
function merge(same: ClaimRecord | undefined, claim: Claim, kind: "ahead" | "fork", nowIso: string): ClaimRecord {
  const { node, incarnation } = claim;
  const fresh = { node, incarnation, since: nowIso, leftOutAt: null, leftOutBy: null, isLeftOut: false };
  const place = same === undefined ? 1 : compareOrder(claim.order, same.order);
  if (same !== undefined && place < 0) return { ...same, heardAt: nowIso };
  const digest = place === 0 ? (claim.digest ?? same?.digest ?? null) : claim.digest;
  return { ...fresh, ...same, order: claim.order, digest, kind, heardAt: nowIso };
}

/** `settleClaim`. */
export function settle(draft: Draft, node: string, has: Order): void {
  const claim = draft.claims.get(node);
  if (claim === undefined || claim.isLeftOut || compareOrder(claim.order, has) >= 0) return;
  draft.claims = new Map([...draft.claims].filter(([name]) => name !== node));
}
