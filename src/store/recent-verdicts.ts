import type { z } from "zod";
import type { Name } from "../core/names.ts";
import { buildRecordSchema } from "./builds.ts";
import type { Queryable } from "./database.ts";
import { many } from "./rows.ts";

const recentVerdictSchema = buildRecordSchema.pick({
  module: true,
  state: true,
  class: true,
  classCount: true,
  classSince: true,
  commit: true,
  message: true,
  endedAt: true,
});
/** How a build ended, without its log and closure: of hundreds of modules at once, 64 KiB each would not fit. */
export type RecentVerdict = z.output<typeof recentVerdictSchema>;

/** Of the newest builds of each of these modules, newest first. Of a message as much as a condition keeps. */
export function listRecentVerdicts(
  db: Queryable,
  mesh: Name,
  modules: readonly Name[],
  ofEach: number,
): Promise<RecentVerdict[]> {
  return many(
    db,
    recentVerdictSchema,
    `select b.module, b.state, b.class, b.class_count as "classCount", b.class_since as "classSince", b.commit,
            left(b.message, 2000) as message, b.ended_at as "endedAt"
       from unnest($2::text[]) as asked (name)
      cross join lateral (select * from build where mesh = $1 and module = asked.name order by started_at desc limit $3) b
      order by b.module, b.started_at desc`,
    [mesh, modules, ofEach],
  );
}
