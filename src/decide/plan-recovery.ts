import type { Order } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import { timeMs } from "./ages.ts";
import { jumpLimits } from "./jump-limits.ts";
import { compareOrder } from "./order.ts";
import { compareText } from "./short-names.ts";

/** What one enrolled host is known to have, and how. */
export interface HostFacts {
  readonly node: Name;
  /** The last account kept from it: what it has there, these records sent. */
  readonly account: {
    readonly has: Order | null;
    readonly digest: Digest | null;
    readonly receivedAt: string;
    /** It went back since, and said so last then. */
    readonly reverted?: { readonly to: Order | null; readonly heardAt: string } | null;
  } | null;
  /** What it has that these records never sent. */
  readonly claim: {
    readonly order: Order;
    readonly digest: Digest | null;
    readonly kind: "ahead" | "fork";
    readonly heardAt: string;
    readonly isLeftOut: boolean;
  } | null;
  /** What it was sent last, by these records. */
  readonly sent: Order | null;
}

export interface RecoveryFacts {
  /** Null: the mesh is not stopped. ISO. */
  readonly stoppedAt: string | null;
  /** The highest that any of the records knows: the mesh's own, its floor, the lease, the grants, the declarations. */
  readonly known: { readonly epoch: number; readonly number: number };
  /** By name. */
  readonly hosts: readonly HostFacts[];
}

/**
 * `known`: what these records sent. `ahead`, `fork`: see `judgeClaim`. `too-far`: ahead, and further than records can have
 * lost: nobody goes above it, or other hosts would refuse the jump. `not-heard`: no word since the mesh was stopped.
 */
export type HostStanding = "known" | "ahead" | "fork" | "too-far" | "not-heard";

export interface FoundHost {
  readonly node: Name;
  readonly standing: HostStanding;
  /** Null: it has accepted nothing, or that is not known. */
  readonly has: Order | null;
  readonly digest: Digest | null;
  /** ISO; null: never. */
  readonly heardAt: string | null;
  readonly sent: Order | null;
  /** A person went on without its word, now or before. */
  readonly isLeftOut: boolean;
}

export type RecoveryPlan = { readonly hosts: readonly FoundHost[] } & (
  | { readonly kind: "not-stopped" }
  /** Hosts that a person must leave out by name before this goes on. */
  | { readonly kind: "blocked"; readonly missing: readonly Name[]; readonly tooFar: readonly Name[] }
  /** What the records are raised to: the next grant and the next number are above it. */
  | { readonly kind: "ready"; readonly epoch: number; readonly number: number }
);

/**
 * What each host has, and above what the mesh can go on (R35): above everything that was seen, wherever it was seen, and
 * never below the floor. A host that was not heard may have more than the others, so that a person has to name it.
 */
export function planRecovery(facts: RecoveryFacts, without: ReadonlySet<Name>): RecoveryPlan {
  const hosts = facts.hosts
    .map((host) => findHost(host, facts, without.has(host.node)))
    .toSorted((a, b) => compareText(a.node, b.node));
  if (facts.stoppedAt === null) return { kind: "not-stopped", hosts };
  const blocking = (standing: HostStanding): Name[] =>
    hosts.filter((host) => host.standing === standing && !host.isLeftOut).map((host) => host.node);
  const [missing, tooFar] = [blocking("not-heard"), blocking("too-far")];
  if (missing.length + tooFar.length > 0) return { kind: "blocked", missing, tooFar, hosts };
  const seen = hosts.flatMap(({ has, isLeftOut }) => (has === null || isLeftOut ? [] : [has]));
  const epoch = Math.max(facts.known.epoch, ...seen.map((order) => order.epoch)) + 1;
  const number = Math.max(facts.known.number, ...seen.map((order) => order.number));
  return { kind: "ready", epoch, number, hosts };
}

function findHost(host: HostFacts, facts: RecoveryFacts, isNamed: boolean): FoundHost {
  const { node, account, claim, sent } = host;
  const since = facts.stoppedAt;
  const isNew = (at: string): boolean => since === null || timeMs(at) >= timeMs(since);
  const isOver = claim === null || (account !== null && timeMs(account.receivedAt) > timeMs(claim.heardAt));
  if (!isOver) {
    const { order, digest, heardAt } = claim;
    const standing = isTooFar(order, facts.known) ? "too-far" : isNew(heardAt) ? claim.kind : "not-heard";
    return { node, standing, has: order, digest, heardAt, sent, isLeftOut: isNamed || claim.isLeftOut };
  }
  const { has, digest, heardAt } = lastWordOf(account);
  const standing = heardAt !== null && isNew(heardAt) ? "known" : "not-heard";
  return { node, standing, has, digest, heardAt, sent, isLeftOut: isNamed && standing !== "known" };
}

/** Of who went back, no report becomes its account: it is heard all the same, and what it has is known to these records. */
function lastWordOf(account: HostFacts["account"]): Pick<FoundHost, "has" | "digest" | "heardAt"> {
  if (account === null) return { has: null, digest: null, heardAt: null };
  const { has, digest, receivedAt, reverted } = account;
  return reverted
    ? { has: reverted.to, digest: null, heardAt: reverted.heardAt }
    : { has, digest, heardAt: receivedAt };
}

/** Half of what hosts let pass, so that what is issued above it fits, also for a host that was off for long. */
function isTooFar(order: Order, known: RecoveryFacts["known"]): boolean {
  return (
    order.epoch - known.epoch > jumpLimits.epochs / 2 ||
    order.number - known.number > jumpLimits.numbers / 2 ||
    compareOrder(order, { epoch: jumpLimits.ceiling, number: 0 }) > 0 ||
    order.number > jumpLimits.ceiling
  );
}
