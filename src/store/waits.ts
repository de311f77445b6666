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
  since: timeColumn,
});
export type UnmadeProvision = z.output<typeof unmadeSchema>;

/** Provisions issued, that their provider's host has not read back as made. */
export function listUnmadeProvisions(db: Queryable, mesh: Name, bound: WaitBound): Promise<UnmadeProvision[]> {
  return many(
    db,
    unmadeSchema,
    `with old as (
       select * from provision
        where mesh = $1 and state = 'issued' and minted_at < now() - $2::float8 * interval '1 millisecond'),
     made as (
       select a.node, a.incarnation, g.provision, g.version
         from account a, jsonb_array_elements(a.report -> 'resources') r,
              jsonb_to_recordset(coalesce(r -> 'provisions', '[]')) as g(provision text, version integer)
        where a.mesh = $1 and a.node in (select provider_node from old))
     select consumer_node as "consumerNode", consumer_module as "consumerModule", requirement,
            provider_node as "providerNode", provider_module as "providerModule", minted_at as since
       from old o
      where not exists (select from made m where m.node = o.provider_node and m.incarnation = o.provider_incarnation
                                             and m.provision = o.id and m.version = o.version)
      order by minted_at, id limit $3`,
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
