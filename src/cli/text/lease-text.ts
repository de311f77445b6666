import type { LeaseStand, PastGrant } from "../../store/lease-history.ts";
import type { Standby } from "../../store/standbys.ts";
import { describeDuration } from "../../core/durations.ts";
import { describeAge } from "./ages.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

export interface ShownLease extends Pick<LeaseStand, "holder" | "role" | "epoch" | "floor" | "renewedMsAgo" | "ageMs"> {
  readonly mesh: string;
  readonly standing: "held" | "not-renewed" | "free";
  readonly since: string | null;
  readonly standbys: readonly Standby[];
  /** Null: not asked for. */
  readonly grants: readonly PastGrant[] | null;
}

export function leaseText(lease: ShownLease, now: Date): string {
  const lines = [
    sayHolder(lease, now),
    `the next epoch is above ${lease.floor}`,
    ...lease.standbys.map(
      (one) =>
        `${plainLine(one.holder, 80)} stands by since ${describeAge(one.since, now)}, seen ${sayAgo(one.seenMsAgo)}`,
    ),
    ...(lease.grants === null ? [] : ["", historyText(lease.grants, lease, now)]),
    ...sayNext(lease),
  ];
  return lines.join("\n");
}

function sayHolder(lease: ShownLease, now: Date): string {
  const { mesh, epoch, since, ageMs } = lease;
  if (lease.holder === null)
    return since === null
      ? `mesh ${mesh}: nobody has ever held the lease`
      : `mesh ${mesh}: nobody holds the lease; the last one gave it back at epoch ${epoch}`;
  const who = `${lease.role === "shell" ? "the shell " : ""}${plainLine(lease.holder, 80)}`;
  const renewed = `renewed ${sayAgo(lease.renewedMsAgo ?? 0)}; it lasts ${describeDuration(ageMs ?? 0)} without a renewal`;
  return lease.standing === "held"
    ? `mesh ${mesh}: ${who} acts under epoch ${epoch} since ${describeAge(since, now)}, ${renewed}`
    : `mesh ${mesh}: cannot tell who acts: ${who} took the lease at epoch ${epoch} ${describeAge(since, now)}, ${renewed}`;
}

function sayAgo(ms: number): string {
  return `${describeDuration(ms)} ago`;
}

function historyText(grants: readonly PastGrant[], lease: ShownLease, now: Date): string {
  if (grants.length === 0) return "no grant is on record";
  const rows = grants.map((grant, index) => [
    String(grant.epoch),
    `${grant.role === "shell" ? "shell " : ""}${plainLine(grant.holder, 80)}`,
    describeAge(grant.grantedAt, now),
    sayEnd(grant, grants[index - 1] ?? null, lease, now),
  ]);
  return alignColumns([["EPOCH", "HOLDER", "GRANTED", "ENDED"], ...rows]);
}

function sayEnd(grant: PastGrant, next: PastGrant | null, lease: ShownLease, now: Date): string {
  if (grant.ended === "given-back") return `given back ${describeAge(grant.endedAt, now)}`;
  if (grant.ended === "taken-over") {
    const last = grant.lastRenewedAt === null ? "" : `renewed last ${describeAge(grant.lastRenewedAt, now)}; `;
    const by = next === null ? "another epoch" : `epoch ${next.epoch}`;
    return `not given back: ${last}${by} followed ${describeAge(grant.endedAt, now)}`;
  }
  if (grant.epoch === lease.epoch && lease.holder !== null)
    return lease.standing === "held" ? "holds it" : "has not renewed it for its age";
  return "not on record";
}

function sayNext(lease: ShownLease): string[] {
  if (lease.standing === "held") return [];
  if (lease.standbys.length > 0) return ["  next: wait for one that stands by: mesh lease show"];
  return ["  next: npm start (or mesh serve): nothing moves without a controller"];
}
