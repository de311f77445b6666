import { leaseAgeMs } from "../decide/lease.ts";
import type { Name } from "../core/names.ts";
import type { Queryable } from "../store/database.ts";
import { type LeaseRole, type LeaseStand, readLeaseStand } from "../store/lease-history.ts";
import { listStandbys, type Standby } from "../store/standbys.ts";

/** Whether somebody acts for this mesh now, as the records say. A shell ends its push and does nothing else (R40). */
export type ControllerState =
  | {
      readonly runs: true;
      readonly holder: string;
      readonly role: LeaseRole;
      readonly epoch: number;
      readonly since: string;
      readonly renewedMsAgo: number;
    }
  | {
      readonly runs: false;
      readonly why: string;
      /** Who has the lease and renews it no more; null: nobody. */
      readonly holder: string | null;
      /** Of the last grant; null: there never was one. */
      readonly epoch: number | null;
    };

/** By the database's own clock on both ends: this machine's may differ. */
export async function readControllerState(db: Queryable, mesh: Name): Promise<ControllerState> {
  return judgeLease(await readLeaseStand(db, mesh));
}

export function judgeLease(lease: LeaseStand | null): ControllerState {
  if (lease === null || lease.takenAt === null || lease.renewedMsAgo === null)
    return { runs: false, why: "no controller has ever run for this mesh", holder: null, epoch: null };
  const { holder, role, epoch, takenAt: since, renewedMsAgo } = lease;
  if (holder === null || role === null)
    return { runs: false, why: "no controller runs: the last one gave its lease back", holder, epoch };
  if (isFresh(lease)) return { runs: true, holder, role, epoch, since, renewedMsAgo };
  const seconds = Math.round(renewedMsAgo / 1000);
  const who = role === "shell" ? "shell" : "controller";
  return { runs: false, why: `the ${who} ${holder} has not renewed its lease for ${seconds} s`, holder, epoch };
}

/** Its holder renewed it within the age that the record says. */
export function isFresh(lease: Pick<LeaseStand, "holder" | "renewedMsAgo" | "ageMs">): boolean {
  return lease.holder !== null && (lease.renewedMsAgo ?? Infinity) <= (lease.ageMs ?? 0);
}

/** Controllers that wait for the lease and were heard within its age; who was killed is left out by then. */
export async function readStandbys(db: Queryable, mesh: Name): Promise<Standby[]> {
  return (await listStandbys(db, mesh)).filter((one) => one.seenMsAgo <= leaseAgeMs);
}
