import { z } from "zod";
import type { Name } from "../core/names.ts";
import type { Listening } from "../decide/situation-facts.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { maybeOne } from "./rows.ts";

const listeningSchema = z.object({ listens: z.boolean(), since: timeColumn.nullable() });

/** A renewal that is further to come is of a clock that was ahead: who made it may be gone since. */
const aheadOfLease = `- l.age_ms * interval '1 millisecond'`;

/** Whether a controller hears hosts now: one that holds the lease and renewed it within its age (R34). A shell hears none. */
export async function readListening(db: Queryable, mesh: Name): Promise<Listening> {
  const found = await maybeOne(
    db,
    listeningSchema,
    `select coalesce(l.holder is not null and coalesce(g.role, 'controller') = 'controller'
              and clock_timestamp() - l.renewed_at between ${aheadOfLease} and l.age_ms * interval '1 millisecond',
              false) as listens,
            case when c.epoch = l.epoch then coalesce(c.ended_at, l.renewed_at)
                 else coalesce(c.last_renewed_at, c.ended_at) end as since
       from mesh m left join lease l on l.mesh = m.name left join epoch_grant g on g.mesh = m.name and g.epoch = l.epoch
            left join lateral (select epoch, ended_at, last_renewed_at from epoch_grant
                                where mesh = m.name and role = 'controller' order by epoch desc limit 1) c on true
      where m.name = $1`,
    [mesh],
  );
  return found === null || found.listens ? { by: "controller" } : { by: "nobody", since: found.since };
}
