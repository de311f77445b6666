import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many } from "./rows.ts";

const lastToldSchema = z.object({
  node: nameSchema,
  outcome: z.enum(["held", "needs-confirmation"]),
  why: z.string(),
  at: timeColumn,
});
/** What the last push that looked at a node made of it, where that kept it from being sent. */
export type LastTold = z.output<typeof lastToldSchema>;

/**
 * By node. A node that the last push sent, or found current, is not in it. What is to come was said while the clock was
 * ahead, and would be the last for as long.
 */
export function listLastTold(db: Queryable, mesh: Name): Promise<LastTold[]> {
  return many(
    db,
    lastToldSchema,
    `select n.name as node, t.outcome, t.why, t.at
       from node n cross join lateral (
         select outcome, why, at from told where mesh = n.mesh and node = n.name and at <= now()
          order by at desc, round desc limit 1) t
      where n.mesh = $1 and t.outcome in ('held', 'needs-confirmation') order by n.name`,
    [mesh],
  );
}
