import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { maybeOne, one } from "./rows.ts";
import { accountedSchema } from "./waves.ts";

const waveProgressSchema = z.object({
  id: z.string(),
  announced: z.number().int(),
  counts: z.partialRecord(accountedSchema.shape.outcome, z.number().int()),
  waitingFor: z.array(nameSchema),
  startedAt: timeColumn,
  endedAt: timeColumn.nullable(),
});
export type WaveProgressRecord = z.output<typeof waveProgressSchema>;

/** The newest wave in numbers, however many modules it has; null: there never was one. */
export function readWaveProgress(db: Queryable, mesh: Name): Promise<WaveProgressRecord | null> {
  return maybeOne(
    db,
    waveProgressSchema,
    `select id, jsonb_array_length(announced) as announced, started_at as "startedAt", ended_at as "endedAt",
            (select coalesce(jsonb_object_agg(outcome, n), '{}')
               from (select value ->> 'outcome' as outcome, count(*) as n from jsonb_each(accounted) group by 1) c) as counts,
            (select coalesce(jsonb_agg(distinct name order by name), '[]')
               from jsonb_each(accounted) a, jsonb_array_elements_text(coalesce(a.value -> 'for', '[]')) as f(name)
              where a.value ->> 'outcome' = 'waiting') as "waitingFor"
       from wave where mesh = $1 order by started_at desc limit 1`,
    [mesh],
  );
}

/** Does a wave that goes on still have to say how one of these modules came out? */
export async function isUnaccounted(db: Queryable, mesh: Name, modules: readonly Name[]): Promise<boolean> {
  const { open } = await one(
    db,
    z.object({ open: z.boolean() }),
    // Taken apart once: asked for name by name, all that is accounted for is read whole for each.
    `select exists (
       select from wave w cross join lateral (
         select jsonb_array_elements_text(w.announced) as name except select jsonb_object_keys(w.accounted)) a
        where w.mesh = $1 and w.ended_at is null and a.name = any($2::text[])) as open`,
    [mesh, modules],
  );
  return open;
}
