import type { Order } from "../core/declaration.ts";
import type { Name } from "../core/names.ts";
import type { Refusal, Report } from "../core/report.ts";
import { timeMs } from "./ages.ts";
import { compareOrder, describeOrder } from "./order.ts";
import { listNames } from "./short-names.ts";

/** A declaration for this very host, signed with a declaration key of the mesh, that it refused for its place in the order. */
export type RefusedOffer = Refusal & { readonly offered: Order };

export interface OfferFacts {
  /** Of what was refused, what these records sent to the node. */
  readonly sent: readonly Order[];
  /** Up to where declarations of the node were pruned; null: none were. */
  readonly pruned: Order | null;
  /** What the last recovery went above: it may be of the records before that; null: there was none. */
  readonly recovered: Order | null;
}

/**
 * What was refused since the report before. A host says what it refused in every report until it takes something, so that
 * what a person has heard of and ended must not come back by being said again. `before` null: no report of this host is
 * here, and what its disk holds may be of any age, and of another node's host whose folder it was.
 */
export function listNewOffers(
  { refusals }: Pick<Report, "refusals">,
  before: readonly Refusal[] | null,
): RefusedOffer[] {
  if (before === null) return [];
  return refusals.filter(isRefusedOffer).filter((one) => {
    const same = before.find(({ check, offered }) => check === one.check && isSame(offered, one.offered));
    return same === undefined || one.count > same.count || timeMs(one.at) > timeMs(same.at);
  });
}

/**
 * Those that another writer made (R38). A declaration is recorded in the transaction that sends it, so that one which the
 * records do not know was sent by somebody else: but for what they knew once, which was pruned, or lost before a recovery.
 * Under the very order that the host has they sent what it has: other content under it is another's, whatever was lost.
 */
export function listForeign(
  { has }: Pick<Report, "has">,
  offers: readonly RefusedOffer[],
  { sent, pruned, recovered }: OfferFacts,
): RefusedOffer[] {
  const wasKnown = (order: Order): boolean =>
    sent.some((one) => isSame(one, order)) ||
    [pruned, recovered].some((upTo) => upTo !== null && compareOrder(order, upTo) <= 0);
  return offers.filter(({ check, offered }) =>
    check === "same-number-other-digest" ? isSame(has, offered) : !wasKnown(offered),
  );
}

/** The condition of it; `foreign` is not empty. */
export function describeSecondWriter(node: Name, foreign: readonly RefusedOffer[]) {
  const epochs = [...new Set(foreign.map(({ offered }) => offered.epoch))].toSorted((a, b) => a - b);
  const offers = foreign.map(({ check, offered, count }) => {
    const what =
      check === "same-number-other-digest"
        ? `other content under ${describeOrder(offered)} than these records sent`
        : `${describeOrder(offered)}, which these records never sent`;
    return `${what} (${check}, ${count === 1 ? "once" : `${count} times`})`;
  });
  const under = `${epochs.length === 1 ? "epoch" : "epochs"} ${listNames(epochs.map(String), 5)}`;
  return {
    code: "second-writer",
    subject: node,
    message: `somebody else writes declarations for ${node}, under ${under}: its host refused ${listNames(offers, 3)}`,
    remedy: `end whatever controller runs from a copy of these records (mesh lease show --history: whose epoch that was); is there none, a declaration key was stolen: mesh keys rotate declaration --revoke ID, then sign and publish that root; last: mesh conditions clear second-writer ${node}`,
    urgent: true,
  };
}

function isRefusedOffer(refusal: Refusal): refusal is RefusedOffer {
  const { check, offered } = refusal;
  return offered !== null && (check === "older" || check === "jump" || check === "same-number-other-digest");
}

function isSame(a: Order | null, b: Order): boolean {
  return a !== null && compareOrder(a, b) === 0;
}
