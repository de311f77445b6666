import type { Order } from "../../core/declaration.ts";
import type { Digest } from "../../core/names.ts";
import type { Report } from "../../core/report.ts";
import { describeAge } from "../../decide/ages.ts";
import { cameAfter } from "../../decide/came-after.ts";
import { compareOrder } from "../../decide/order.ts";
import { hasFailed } from "../../decide/has-failed.ts";
import { isStuck } from "../../decide/track-failures.ts";
import type { Effect } from "../text/push-text.ts";

export interface EffectFacts {
  readonly order: Order;
  readonly digest: Digest | null;
  /** When it was sent; null: not known. */
  readonly sentAt: string | null;
  readonly account: {
    readonly has: Order | null;
    readonly digest: Digest | null;
    readonly outcome: Report["outcome"];
    readonly report: Pick<Report, "resources" | "refusals"> & Partial<Pick<Report, "at">>;
    readonly receivedAt?: string;
    readonly track: { readonly failingCount: number; readonly noSuccessCount: number };
    /** The host went back: what is here is of before. */
    readonly reverted?: { readonly why: string } | null;
  } | null;
  /** How long the host has said nothing, where that is longer than a host should; infinite: it never said a word. */
  readonly silentMs: number | null;
  /** Why what it reported is no knowledge of now, though it is heard; null: it is. */
  readonly stale: string | null;
}

/** `final`: waiting longer changes it only when somebody does something. */
export interface JudgedEffect {
  readonly effect: Exclude<Effect, "not-sent">;
  readonly says: string;
  readonly final: boolean;
  /** It has a newer one, and has not read that back yet: no longer this push's to wait for, and not settled either. */
  readonly pending?: true;
}

/** How far a node has come with one declaration, by what it read back: never by what was sent (R43, case 33). */
export function judgeEffect(facts: EffectFacts): JudgedEffect {
  const { account, order } = facts;
  const refusal = account?.report.refusals.find((one) => isOfThis(one, facts));
  if (refusal !== undefined)
    return { effect: "failed", says: `refused (${refusal.check}): ${refusal.message}`, final: true };
  const place = account?.has == null ? -1 : compareOrder(account.has, order);
  const doubt = facts.silentMs === null ? facts.stale : saySilence(facts.silentMs);
  if (account === null || place < 0) {
    return doubt === null
      ? { effect: "outstanding", says: "", final: false }
      : { effect: "cannot-tell", says: doubt, final: false };
  }
  // It is kept at what it had before: nothing that it says now is, until it has something newer (R31).
  if (account.reverted) return { effect: "failed", says: `its host went back: ${account.reverted.why}`, final: true };
  if (place > 0) {
    const newer = `it has ${account.has?.epoch}.${account.has?.number}, a newer one`;
    return account.outcome === "applied" && doubt === null
      ? { effect: "superseded", says: newer, final: true }
      : { effect: "superseded", says: `${newer}, and has not read that back as applied`, final: true, pending: true };
  }
  if (account.outcome === "applied" && facts.digest !== null && account.digest !== facts.digest)
    return { effect: "failed", says: "it reports another content under this number", final: true };
  // Its last word was good, and is old: the last green is never shown as how it is now (case 30).
  if (account.outcome === "applied" && doubt !== null)
    return { effect: "cannot-tell", says: `it had applied this; ${doubt}`, final: false };
  if (account.outcome === "applied") return { effect: "applied", says: "", final: true };
  const troubles = account.report.resources.filter((one) => one.state !== "applied");
  const says = troubles
    .slice(0, 3)
    .map((one) => `${one.id} ${one.state}: ${one.message}`)
    .join("; ");
  const { outcome, report } = account;
  if (hasFailed({ outcome, resources: report.resources }))
    return { effect: "failed", says, final: isStuck(account.track) };
  // As `status` says it: what it waits for may still come.
  if (account.outcome === "un-ready") return { effect: "un-ready", says, final: false };
  return { effect: "outstanding", says, final: false };
}

function saySilence(ms: number): string {
  return ms === Number.POSITIVE_INFINITY ? "its host was never heard" : `no word of its host for ${describeAge(ms)}`;
}

/**
 * While the host has not taken it, a refusal of it counts. One that could not even be read, by a key that the host does not
 * know for one, is taken for this when it came after it.
 */
function isOfThis(
  { check, offered, at }: Report["refusals"][number],
  { order, sentAt, account }: EffectFacts,
): boolean {
  if (account?.has != null && compareOrder(account.has, order) >= 0) return false;
  if (offered !== null) return compareOrder(offered, order) === 0;
  if (check === "root" || sentAt === null) return false;
  return cameAfter(at, sentAt, { reportAt: account?.report.at, receivedAt: account?.receivedAt });
}
