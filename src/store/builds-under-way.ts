import type { z } from "zod";
import type { Name } from "../core/names.ts";
import { isLostBuild } from "../decide/build-under-way.ts";
import { buildRecordSchema } from "./builds.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many } from "./rows.ts";

const underWaySchema = buildRecordSchema
  .pick({ module: true, inputs: true, startedAt: true })
  .extend({ heardAt: timeColumn });
export type BuildUnderWayRecord = z.output<typeof underWaySchema>;

/** Those that run at `now`, by module: of one module there is one at a time. What is lost is none of them. */
export async function listBuildsUnderWay(
  db: Queryable,
  mesh: Name,
  at: { readonly now: string; readonly lostAfterMs: number },
): Promise<ReadonlyMap<Name, BuildUnderWayRecord>> {
  const builds = await many(
    db,
    underWaySchema,
    `select module, inputs, started_at as "startedAt", coalesce(seen_at, started_at) as "heardAt"
       from build where mesh = $1 and state = 'building' order by started_at, inputs`,
    [mesh],
  );
  return new Map(builds.filter((build) => !isLostBuild(build, at)).map((build) => [build.module, build]));
}
