import { z } from "zod";
import { digestSchema, nameSchema, type Digest, type Name } from "../core/names.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, run } from "./rows.ts";

const keptLogSchema = z.object({
  blob: digestSchema,
  bytes: bigintColumn,
  writtenAt: timeColumn,
  /** Modules whose wanted, fit or newest build it is of. */
  shownFor: z.array(nameSchema),
});

/** Whole logs of builds, once for each content. */
export function listKeptLogs(db: Queryable, mesh: Name): Promise<z.output<typeof keptLogSchema>[]> {
  return many(
    db,
    keptLogSchema,
    // The newest of each module once: asked of each row, it reads a module's builds once for each of them.
    `select b.log_blob as blob, max(coalesce(b.log_bytes, 0)) as bytes, max(coalesce(b.ended_at, b.started_at)) as "writtenAt",
            coalesce(array_agg(distinct m.name) filter (where b.inputs in (m.wanted_inputs, m.fit_inputs)
                                                           or b.started_at = n.started_at), '{}') as "shownFor"
       from build b
       join (select module, max(started_at) as started_at from build where mesh = $1 group by module) n on n.module = b.module
       left join module m on m.mesh = b.mesh and m.name = b.module
      where b.mesh = $1 and b.log_blob is not null group by b.log_blob order by b.log_blob`,
    [mesh],
  );
}

/** Their builds have only the last 4,000 characters from now on. */
export async function dropLogs(db: Queryable, mesh: Name, blobs: readonly Digest[]): Promise<void> {
  await run(
    db,
    `update build set log_blob = null, log_bytes = null, log_tail = right(log_tail, 4000)
      where mesh = $1 and log_blob = any($2::text[])`,
    [mesh, blobs],
  );
}

/** Every blob that any record names, of any mesh of this database. */
export async function listNamedBlobs(db: Queryable): Promise<Set<Digest>> {
  const rows = await many(
    db,
    z.object({ blob: digestSchema }),
    `select blob from artifact union select statement from provenance union select referrer from provenance
     union select log_blob from build where log_blob is not null`,
  );
  return new Set(rows.map(({ blob }) => blob));
}
