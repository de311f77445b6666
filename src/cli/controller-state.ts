import type { Name } from "../core/names.ts";
import type { Queryable } from "../store/database.ts";
import { readLease } from "../store/lease.ts";
import { readClock } from "../store/read-clock.ts";

/** Whether a controller acts for this mesh now, as the records say. */
export type ControllerState =
  | { readonly runs: true; readonly holder: string; readonly epoch: number; readonly renewedMsAgo: number }
  | { readonly runs: false; readonly why: string };

/** By the database's own clock on both ends: this machine's may differ. */
export async function readControllerState(db: Queryable, mesh: Name): Promise<ControllerState> {
  const lease = await readLease(db, mesh);
  if (lease === null) return { runs: false, why: "no controller has ever run for this mesh" };
  if (lease.holder === null) return { runs: false, why: "no controller runs: the last one gave its lease back" };
  const renewedMsAgo = Date.parse(await readClock(db)) - Date.parse(lease.renewedAt);
  if (renewedMsAgo <= lease.ageMs) return { runs: true, holder: lease.holder, epoch: lease.epoch, renewedMsAgo };
  const seconds = Math.round(renewedMsAgo / 1000);
  return { runs: false, why: `the controller ${lease.holder} has not renewed its lease for ${seconds} s` };
}
