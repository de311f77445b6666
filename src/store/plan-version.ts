import { z } from "zod";
import type { Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { one } from "./rows.ts";

/**
 * Equal versions: nobody changed a record that a comparison reads (modules, edges, the builds at their inputs). By the
 * transaction that wrote each row, which no later one has in common with it; a restart of the server is another version,
 * because a restored one may count transactions again.
 */
export async function readPlanVersion(db: Queryable, mesh: Name): Promise<string> {
  const { version } = await one(
    db,
    z.object({ version: z.string() }),
    `select concat_ws(' ', pg_postmaster_start_time(),
       (select concat(count(*), ' ', sum(hashtextextended(name, xmin::text::bigint))) from module where mesh = $1),
       (select concat(count(*), ' ', sum(hashtextextended(concat(module, ' ', dependency, ' ', kind), xmin::text::bigint)))
          from module_edge where mesh = $1),
       (select concat(count(*), ' ', sum(hashtextextended(concat(b.module, ' ', b.inputs), b.xmin::text::bigint)))
          from module m join build b on b.mesh = m.mesh and b.module = m.name and b.inputs in (m.wanted_inputs, m.fit_inputs)
         where m.mesh = $1)) as version`,
    [mesh],
  );
  return version;
}
