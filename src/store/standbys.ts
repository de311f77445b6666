import { z } from "zod";
import type { Name } from "../core/names.ts";
import { ageColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, run } from "./rows.ts";

const standbySchema = z.object({
  holder: z.string(),
  since: timeColumn,
  lastSeen: timeColumn,
  seenMsAgo: ageColumn,
});
/** A controller that waits for the lease, as it said of itself; `seenMsAgo` by the database's clock. */
export type Standby = z.output<typeof standbySchema>;

/** Those that waited and have said nothing for this long are forgotten. */
const forgottenAfter = "10 minutes";

/** Said again every few seconds: what is old is not there any more. */
export function announceStandby(db: Queryable, mesh: Name, holder: string): Promise<number> {
  return run(
    db,
    `with forgotten as (
       delete from standby where mesh = $1 and holder <> $2 and last_seen < now() - interval '${forgottenAfter}'
     )
     insert into standby (mesh, holder, since, last_seen) values ($1, $2, now(), now())
     on conflict (mesh, holder) do update set last_seen = now()`,
    [mesh, holder],
  );
}

/** It waits no more: it acts, or has ended. */
export function withdrawStandby(db: Queryable, mesh: Name, holder: string): Promise<number> {
  return run(db, `delete from standby where mesh = $1 and holder = $2`, [mesh, holder]);
}

/** The longest waiting first. The caller says what is too old to count. */
export function listStandbys(db: Queryable, mesh: Name): Promise<Standby[]> {
  return many(
    db,
    standbySchema,
    `select holder, since, last_seen as "lastSeen",
            extract(epoch from clock_timestamp() - last_seen)::float8 * 1000 as "seenMsAgo"
       from standby where mesh = $1 order by since, holder`,
    [mesh],
  );
}
