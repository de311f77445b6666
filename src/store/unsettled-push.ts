import { z } from "zod";
import type { Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { maybeOne } from "./rows.ts";

/**
 * Whether this push, which settled, says nothing of those whom the last one that did not settle left moving: it neither sent
 * one of them anything nor found one as it should be, and some of them are nodes still. Asked only where that is open.
 */
export async function isStillUnsettled(db: Queryable, mesh: Name, push: string): Promise<boolean> {
  const found = await maybeOne(
    db,
    z.object({ found: z.literal(1) }),
    `select 1 as found
       from condition c cross join lateral (
         select result->'moving' as moving from push
          where mesh = c.mesh and result->>'outcome' = 'did-not-settle' order by ended_at desc limit 1) as last
      where c.mesh = $1 and c.code = 'push-did-not-settle'
        and exists (select from node n where n.mesh = $1 and last.moving ? n.name)
        and not exists (select from told t where t.mesh = $1 and t.push = $2 and last.moving ? t.node
                          and t.outcome in ('sent', 'already-current'))`,
    [mesh, push],
  );
  return found !== null;
}
