import type { Name } from "../core/names.ts";
import type { Recovery } from "../core/recovery.ts";
import type { Mark } from "./accept-declaration.ts";
import { timeMs } from "./ages.ts";
import { jumpLimits } from "./jump-limits.ts";
import { compareOrder, describeOrder } from "./order.ts";

/** How long a recovery document may be good for, and how far its maker's clock may be before the host's. */
export const recoveryLimits = { days: 31, clockSkewMs: 300_000 } as const;

const dayMs = 24 * 3_600_000;

export interface ResetInput {
  /** What the host has on its disk now. */
  readonly have: Mark | null;
  readonly mesh: Name;
  readonly node: Name;
  readonly incarnation: string;
  /** Signatures checked and schema parsed already. */
  readonly offered: Recovery;
  /** By the host's clock. */
  readonly nowMs: number;
}

export type ResetCheck =
  | "mesh"
  | "node"
  | "incarnation"
  | "no-mark"
  | "mark"
  | "not-lower"
  | "too-high"
  | "dates"
  | "too-long"
  | "not-yet"
  | "expired";
export interface ResetRefusal {
  readonly check: ResetCheck;
  readonly message: string;
}

/**
 * Why a host does not put its mark back by this document; null: it does. `replaces` must be the very mark that it has, so
 * that the document undoes itself: once applied, the mark is another one.
 */
export function whyNoReset(input: ResetInput): ResetRefusal | null {
  return checkAddress(input) ?? whyUnusable(input.offered) ?? checkTime(input) ?? checkMark(input);
}

/** What is wrong with a recovery document whoever reads it; null: nothing. */
export function whyUnusable({ replaces, to, issuedAt, expiresAt }: Recovery): ResetRefusal | null {
  if (compareOrder(to, replaces) >= 0)
    return refuse("not-lower", `it goes to ${describeOrder(to)}, which is not below ${describeOrder(replaces)}`);
  // A lower epoch with a number at the end of the number space would let nothing of that epoch in any more.
  const { ceiling } = jumpLimits;
  if (to.epoch > ceiling || to.number > ceiling)
    return refuse("too-high", `it goes to ${describeOrder(to)}, no host takes more than ${ceiling}`);
  const forMs = timeMs(expiresAt) - timeMs(issuedAt);
  // Asked so that a time which is none is refused, too.
  if (!(forMs > 0)) return refuse("dates", `it ends at ${expiresAt}, and was issued at ${issuedAt}`);
  const { days } = recoveryLimits;
  if (forMs > days * dayMs)
    return refuse("too-long", `it is good from ${issuedAt} to ${expiresAt}, more than ${days} days`);
  return null;
}

function checkAddress({ mesh, node, incarnation, offered }: ResetInput): ResetRefusal | null {
  if (offered.mesh !== mesh) return refuse("mesh", `it is for mesh ${offered.mesh}, this host is of ${mesh}`);
  if (offered.node !== node) return refuse("node", `it is for node ${offered.node}, this host is ${node}`);
  if (offered.incarnation === incarnation) return null;
  return refuse("incarnation", `it is for host ${offered.incarnation} of ${node}, this one enrolled as ${incarnation}`);
}

function checkTime({ offered, nowMs }: ResetInput): ResetRefusal | null {
  const { issuedAt, expiresAt } = offered;
  if (!(nowMs <= timeMs(expiresAt))) return refuse("expired", `it expired at ${expiresAt}`);
  if (nowMs + recoveryLimits.clockSkewMs >= timeMs(issuedAt)) return null;
  return refuse("not-yet", `it was issued at ${issuedAt}, which is to come: is this machine's clock right?`);
}

/** A mark of another incarnation does not count, here as for declarations. */
function checkMark({ have, incarnation, offered }: ResetInput): ResetRefusal | null {
  if (have === null || have.incarnation !== incarnation)
    return refuse("no-mark", "this host has accepted nothing yet: there is no mark to put back");
  if (compareOrder(have.order, offered.replaces) === 0) return null;
  const [was, has] = [describeOrder(offered.replaces), describeOrder(have.order)];
  return refuse("mark", `it replaces ${was}, this host has ${has}: it was used already, or made for another mark`);
}

function refuse(check: ResetCheck, message: string): ResetRefusal {
  return { check, message };
}
