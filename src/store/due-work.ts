import { z } from "zod";
import type { Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { one } from "./rows.ts";

/**
 * What reconcile has to look at, as a sentence; null: nothing. A tip that the last comparison did not see, a module that
 * was never compared, a build that is due again, or one that was planned and nobody builds.
 */
export async function describeDue(db: Queryable, mesh: Name): Promise<string | null> {
  const row = await one(
    db,
    z.object({ why: z.string().nullable() }),
    `select coalesce(
       (select 'source moved: ' || string_agg(repository || '#' || branch || ' at ' || left(commit, 7), ', ')
          from source_head where mesh = $1 and commit is distinct from compared_commit and commit is not null),
       (select 'new modules: ' || string_agg(name, ', ') from module m
          where mesh = $1 and compared_at is null
            and exists (select from source_head h where h.mesh = m.mesh and h.repository = m.repository
                         and h.branch = m.branch and h.commit is not null)),
       (select 'builds to try again: ' || string_agg(distinct b.module, ', ') from build b
          join module m on m.mesh = b.mesh and m.name = b.module and m.wanted_inputs = b.inputs
         where b.mesh = $1 and b.state = 'outstanding' and b.next_try_at <= now())
     ) as why`,
    [mesh],
  );
  return row.why;
}
