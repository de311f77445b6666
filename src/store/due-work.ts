import { z } from "zod";
import type { Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { one } from "./rows.ts";

/**
 * What reconcile has to look at, as a sentence; null: nothing. A tip that the last comparison did not see, a module that
 * was never compared, a build that is due again, or one that began longer ago than `lostAfterMs` and has no verdict:
 * whoever plans next knows whether somebody still builds it.
 */
export async function describeDue(db: Queryable, mesh: Name, lostAfterMs: number): Promise<string | null> {
  const row = await one(
    db,
    z.object({ why: z.string().nullable() }),
    `select nullif(concat_ws('; ',
       (select 'source moved: ' || string_agg(repository || '#' || branch || ' at ' || left(commit, 7), ', ' order by repository, branch)
          from source_head h where mesh = $1 and commit is distinct from compared_commit and commit is not null
           and exists (select from module m
                        where m.mesh = h.mesh and m.repository = h.repository and m.branch = h.branch)),
       (select 'new modules: ' || string_agg(name, ', ' order by name) from module m
          where mesh = $1 and compared_at is null
            and exists (select from source_head h where h.mesh = m.mesh and h.repository = m.repository
                         and h.branch = m.branch and h.commit is not null)),
       (select 'builds to try again: ' || string_agg(distinct b.module, ', ') from build b
          join module m on m.mesh = b.mesh and m.name = b.module and m.wanted_inputs = b.inputs
         where b.mesh = $1 and b.state = 'outstanding' and b.next_try_at <= now()),
       (select 'builds without a verdict: ' || string_agg(distinct b.module, ', ') from build b
          join module m on m.mesh = b.mesh and m.name = b.module and m.wanted_inputs = b.inputs
         where b.mesh = $1 and b.state = 'building' and b.started_at < now() - $2 * interval '1 millisecond')
     ), '') as why`,
    [mesh, lostAfterMs],
  );
  return row.why;
}
