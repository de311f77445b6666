import { z } from "zod";
import { digestSchema, nameSchema, type Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, run } from "./rows.ts";
import { storableJson, storableText } from "./storable.ts";

/** What became of one module of a wave (R9). `waiting`: for a named one that failed. */
export const accountedSchema = z.object({
  outcome: z.enum(["built", "cut-off", "failed", "waiting", "superseded"]),
  why: z.string(),
  /** Waiting: for whom. */
  for: z.array(nameSchema).readonly().optional(),
});
export type Accounted = z.infer<typeof accountedSchema>;

const waveSchema = z.object({
  id: z.string(),
  reason: z.string(),
  announced: z.array(nameSchema),
  accounted: z.record(nameSchema, accountedSchema),
  startedAt: timeColumn,
  endedAt: timeColumn.nullable(),
});
export type Wave = z.output<typeof waveSchema>;

const columns = `id, reason, announced, accounted, started_at as "startedAt", ended_at as "endedAt"`;

/** One comparison that found work. The same id again changes nothing. */
export async function openWave(
  db: Queryable,
  mesh: Name,
  wave: { id: string; reason: string; announced: readonly Name[] },
): Promise<void> {
  await run(
    db,
    `insert into wave (mesh, id, reason, announced) values ($1, $2, $3, $4) on conflict (mesh, id) do nothing`,
    [mesh, wave.id, storableText(wave.reason), storableJson(wave.announced)],
  );
}

/** Many modules in one statement; what was not announced in it is left out. False: no such wave, or it has ended. */
export async function accountFor(
  db: Queryable,
  mesh: Name,
  wave: string,
  rows: ReadonlyMap<Name, Accounted>,
): Promise<boolean> {
  const changed = await run(
    db,
    `update wave set accounted = ${withRows("$3")} where mesh = $1 and id = $2 and ended_at is null`,
    [mesh, wave, writeRows(rows)],
  );
  return changed === 1;
}

const withRows = (rows: string): string => `accounted || (
       select coalesce(jsonb_object_agg(r.key, r.value), '{}')
         from jsonb_each(${rows}::jsonb) r join jsonb_array_elements_text(announced) as a(name) on a.name = r.key)`;

function writeRows(rows: ReadonlyMap<Name, Accounted>): string | null {
  return storableJson(Object.fromEntries([...rows].map(([module, row]) => [module, accountedSchema.parse(row)])));
}

/** They are to come again: what they came to before in this wave does not count any more. Of one that has ended it does. */
export async function reopenInWave(db: Queryable, mesh: Name, wave: string, modules: readonly Name[]): Promise<void> {
  await run(db, `update wave set accounted = accounted - $3::text[] where mesh = $1 and id = $2 and ended_at is null`, [
    mesh,
    wave,
    [...modules],
  ]);
}

/** How each announced module is accounted for by now, without what is said of it. Null: no such wave. */
export function listAnnounced(
  db: Queryable,
  mesh: Name,
  wave: string,
): Promise<{ unaccounted: Name[]; accounted: Name[] } | null> {
  return maybeOne(
    db,
    z.object({ unaccounted: z.array(nameSchema), accounted: z.array(nameSchema) }),
    // Each of the two is taken apart once: asked for name by name, a large value is read whole for each.
    `with known as materialized (select jsonb_object_keys(accounted) as name from wave where mesh = $1 and id = $2),
     announced as materialized (select jsonb_array_elements_text(announced) as name from wave where mesh = $1 and id = $2)
     select array(select name from announced except select name from known order by name) as unaccounted,
            array(select name from known order by name) as accounted
       from wave where mesh = $1 and id = $2`,
    [mesh, wave],
  );
}

const endedBuildSchema = z.object({
  module: nameSchema,
  inputs: digestSchema,
  state: z.enum(["fit", "unfit", "outstanding"]),
  artifact: digestSchema.nullable(),
  message: z.string(),
});
export type EndedBuild = z.output<typeof endedBuildSchema>;

/**
 * What the newest build of each announced module came to, where it ended since the wave began. `only`: of these, and no
 * others; left out: of all.
 */
export function listEndedInWave(
  db: Queryable,
  mesh: Name,
  wave: string,
  only?: readonly Name[],
): Promise<EndedBuild[]> {
  return many(
    db,
    endedBuildSchema,
    // By the key of each announced module: there are as many builds as there ever were.
    `select b.module, b.inputs, b.state, b.artifact, b.message
       from wave w
      cross join lateral jsonb_array_elements_text(w.announced) as a(name)
      cross join lateral (select module, inputs, state, artifact, message, ended_at from build
                           where mesh = w.mesh and module = a.name order by started_at desc limit 1) b
      where w.mesh = $1 and w.id = $2 and b.state <> 'building' and b.ended_at >= w.started_at
        and ($3::text[] is null or a.name = any($3::text[]))
      order by b.module`,
    [mesh, wave, only ?? null],
  );
}

export async function endWave(db: Queryable, mesh: Name, wave: string): Promise<boolean> {
  return (
    (await run(db, `update wave set ended_at = now() where mesh = $1 and id = $2 and ended_at is null`, [
      mesh,
      wave,
    ])) === 1
  );
}

/**
 * Accounts for a wave that nobody goes on with, and ends it. `attended`: the wave that is gone on with as far as the caller
 * knows. Where that has ended the caller is late: its round is over, and what goes on is a newer one's. False: nothing changed.
 */
export async function endLeftWave(
  db: Queryable,
  mesh: Name,
  left: { readonly wave: string; readonly attended: string | null; readonly rows: ReadonlyMap<Name, Accounted> },
): Promise<boolean> {
  const changed = await run(
    db,
    `update wave set accounted = ${withRows("$3")}, ended_at = now()
      where mesh = $1 and id = $2 and ended_at is null
        and ($4::text is null or exists (select from wave a where a.mesh = $1 and a.id = $4 and a.ended_at is null))`,
    [mesh, left.wave, writeRows(left.rows), left.attended],
  );
  return changed === 1;
}

/**
 * Those that go on, oldest first. The mesh's loop attends to one; another was begun by a comparison whose answer was lost,
 * or by a loop that Temporal forgot.
 */
export async function listOpenWaves(db: Queryable, mesh: Name): Promise<string[]> {
  const rows = await many(
    db,
    waveSchema.pick({ id: true }),
    `select id from wave where mesh = $1 and ended_at is null order by started_at, id`,
    [mesh],
  );
  return rows.map(({ id }) => id);
}

export function getWave(db: Queryable, mesh: Name, wave: string): Promise<Wave | null> {
  return maybeOne(db, waveSchema, `select ${columns} from wave where mesh = $1 and id = $2`, [mesh, wave]);
}

/** Newest first. */
export function listWaves(db: Queryable, mesh: Name, limit: number): Promise<Wave[]> {
  return many(db, waveSchema, `select ${columns} from wave where mesh = $1 order by started_at desc limit $2`, [
    mesh,
    limit,
  ]);
}
