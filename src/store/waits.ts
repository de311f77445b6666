import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne } from "./rows.ts";

/** Only what is older than this, in milliseconds; the oldest ones first, and no more of them than that. */
export interface WaitBound {
  readonly afterMs: number;
  readonly most: number;
}

const unmadeSchema = z.object({
  consumerNode: nameSchema,
  consumerModule: nameSchema,
  requirement: nameSchema,
  providerNode: nameSchema,
  providerModule: nameSchema,
  /** It was read back before, and its host finds it no more. */
  wasMade: z.boolean(),
  /** When it was minted; of what was made, since when it is missed. */
  since: timeColumn,
});
export type UnmadeProvision = z.output<typeof unmadeSchema>;

/**
 * Provisions issued, that their provider's host never read back as made, or that it finds no more. What it made and has
 * not read since (it starts, its server is away) makes nobody wait.
 */
export function listUnmadeProvisions(db: Queryable, mesh: Name, bound: WaitBound): Promise<UnmadeProvision[]> {
  return many(
    db,
    unmadeSchema,
    `select consumer_node as "consumerNode", consumer_module as "consumerModule", requirement,
            provider_node as "providerNode", provider_module as "providerModule", made_at is not null as "wasMade", since
       from (select *, case when made_at is null then minted_at else missed_since end as since
               from provision where mesh = $1 and state = 'issued') p
      where since < now() - $2::float8 * interval '1 millisecond'
      order by since, id limit $3`,
    [mesh, bound.afterMs, bound.most],
  );
}

const waitingSchema = z.object({ module: nameSchema, why: z.string(), since: timeColumn });
export type WaitingModule = z.output<typeof waitingSchema>;

/** Modules that cannot be built before another one has its verdict, and have had none of their own since then. */
export function listWaitingModules(db: Queryable, mesh: Name, bound: WaitBound): Promise<WaitingModule[]> {
  return many(
    db,
    waitingSchema,
    `select name as module, standing_why as why, behind_since as since from module
      where mesh = $1 and standing = 'waiting' and behind_since < now() - $2::float8 * interval '1 millisecond'
      order by behind_since, name limit $3`,
    [mesh, bound.afterMs, bound.most],
  );
}

const stillWaveSchema = z.object({ id: z.string(), reason: z.string(), since: timeColumn });
export type StillWave = z.output<typeof stillWaveSchema>;

/** The newest wave, where it has not ended, still has something to build, and no build of it began, was attended or ended since then. */
export function findStillWave(db: Queryable, mesh: Name, afterMs: number): Promise<StillWave | null> {
  return maybeOne(
    db,
    stillWaveSchema,
    // By the key of each announced module: there are as many builds as there ever were. Since when is asked of no wave that
    // is young itself.
    `with open as (
       select * from (select * from wave where mesh = $1 order by started_at desc limit 1) newest
        where ended_at is null and started_at < now() - $2::float8 * interval '1 millisecond'),
     announced as (select jsonb_array_elements_text(announced) as name from open),
     still as materialized (
       select w.id, w.reason, greatest(w.started_at, (
                select max(b.at) from announced a
                 cross join lateral (select max(greatest(started_at, seen_at, ended_at)) as at from build
                                      where mesh = $1 and module = a.name) b)) as since
         from open w
        where exists (select from announced a join module m on m.mesh = $1 and m.name = a.name
                       where m.standing in ('out-of-date', 'building', 'waiting')))
     select id, reason, since from still where since < now() - $2::float8 * interval '1 millisecond'`,
    [mesh, afterMs],
  );
}
