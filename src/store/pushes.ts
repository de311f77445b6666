import { z } from "zod";
import { digestSchema, nameSchema, type Digest, type Name } from "../core/names.ts";
import { pushKindSchema, pushResultSchema, toldSchema, type PushResult, type Told } from "../core/push.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Database, Queryable } from "./database.ts";
import type { ReadRows } from "./row-memory.ts";
import { many, maybeOne, run } from "./rows.ts";
import { storableJson, storableText } from "./storable.ts";
import { inTransaction } from "./transaction.ts";

const pushRecordSchema = z.object({
  id: z.string(),
  /** `declare`: one node by hand, on the same road. */
  kind: z.enum([...pushKindSchema.options, "declare"]),
  named: z.array(nameSchema),
  requestedBy: z.string(),
  why: z.string(),
  openedAt: timeColumn,
  baselineAt: timeColumn.nullable(),
  endedAt: timeColumn.nullable(),
  result: pushResultSchema.nullable(),
  /** What whoever asked for it agreed to, so that it can be begun again as it was asked for. */
  confirmRemoval: z.boolean(),
});
export type PushRecord = z.output<typeof pushRecordSchema>;

const toldRecordSchema = z.object({
  ...toldSchema.shape,
  epoch: bigintColumn.nullable(),
  number: bigintColumn.nullable(),
  at: timeColumn,
});
export type ToldRecord = z.output<typeof toldRecordSchema>;

const columns = `id, kind, named, requested_by as "requestedBy", why, opened_at as "openedAt",
  baseline_at as "baselineAt", ended_at as "endedAt", result, confirm_removal as "confirmRemoval"`;

export type NewPush = Pick<PushRecord, "id" | "kind" | "named" | "requestedBy" | "why"> & {
  /** Left out: no. */
  readonly confirmRemoval?: boolean | undefined;
};

/** The same id again changes nothing. Answers whether it was opened now. */
export async function openPush(db: Queryable, mesh: Name, push: NewPush): Promise<boolean> {
  const changed = await run(
    db,
    `insert into push (mesh, id, kind, named, requested_by, why, confirm_removal) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (mesh, id) do nothing`,
    [
      mesh,
      push.id,
      push.kind,
      storableJson(push.named),
      storableText(push.requestedBy),
      storableText(push.why),
      push.confirmRemoval ?? false,
    ],
  );
  return changed === 1;
}

/**
 * What each node should have been before the named compose (R18); null: not worked out. Kept once: a retry, which may
 * see the world after the compose, changes nothing and answers false. So does one that comes when the push has ended.
 */
export async function recordBaseline(
  db: Queryable,
  mesh: Name,
  push: string,
  digests: ReadonlyMap<Name, Digest | null>,
): Promise<boolean> {
  const rows = [...digests].map(([node, digest]) => ({ node, digest }));
  const answer = await maybeOne(
    db,
    z.object({ id: z.string() }),
    `with first as (
       update push set baseline_at = now() where mesh = $1 and id = $2 and baseline_at is null and ended_at is null
        returning mesh, id),
     kept as (
       insert into push_baseline (mesh, push, node, digest)
         select f.mesh, f.id, b.node, b.digest
           from first f cross join jsonb_to_recordset($3::jsonb) as b(node text, digest text))
     select id from first`,
    [mesh, push, storableJson(rows)],
  );
  return answer !== null;
}

/** Null: no baseline was recorded, which is not the same as an empty one. */
export async function getBaseline(
  db: Queryable,
  mesh: Name,
  push: string,
  read: ReadRows = many,
): Promise<Map<Name, Digest | null> | null> {
  // One statement for both questions: a push with a baseline of no nodes is one row of nulls.
  const rows = await read(
    db,
    z.object({ node: nameSchema.nullable(), digest: digestSchema.nullable() }),
    `select b.node, b.digest from push p
       left join push_baseline b on b.mesh = p.mesh and b.push = p.id
      where p.mesh = $1 and p.id = $2 and p.baseline_at is not null`,
    [mesh, push],
  );
  if (rows.length === 0) return null;
  return new Map(rows.flatMap(({ node, digest }) => (node === null ? [] : [[node, digest] as const])));
}

/** What became of nodes in a round. A retry may better an outcome, but never take `sent` back. */
export async function recordTold(db: Queryable, mesh: Name, push: string, told: readonly Told[]): Promise<void> {
  const rows = told.map((one) => toldSchema.parse(one));
  await run(
    db,
    `insert into told as known (mesh, push, round, node, outcome, why, epoch, number, digest)
       select $1, $2, round, node, outcome, why, epoch, number, digest
         from jsonb_to_recordset($3::jsonb) as t(round integer, node text, outcome text, why text, epoch bigint,
                                                 number bigint, digest text)
     on conflict (mesh, push, round, node) do update set outcome = excluded.outcome, why = excluded.why,
       epoch = excluded.epoch, number = excluded.number, digest = excluded.digest, at = now()
       where known.outcome <> 'sent'`,
    [mesh, push, storableJson(rows)],
  );
}

/** By round, then node. */
export function listTold(db: Queryable, mesh: Name, push: string, read: ReadRows = many): Promise<ToldRecord[]> {
  return read(
    db,
    toldRecordSchema,
    `select node, round, outcome, why, epoch, number, digest, at from told
      where mesh = $1 and push = $2 order by round, node`,
    [mesh, push],
  );
}

/**
 * The first result stands. False: it had ended, or there is no such push. Its baseline goes with it: a row for each node of
 * the mesh, of which nothing is asked any more.
 */
export async function endPush(db: Database, mesh: Name, push: string, result: PushResult): Promise<boolean> {
  const ended = storableJson(pushResultSchema.parse(result));
  return inTransaction(db, { isolation: "read committed" }, async (tx) => {
    const changed = await run(
      tx,
      `update push set ended_at = now(), result = $3 where mesh = $1 and id = $2 and ended_at is null`,
      [mesh, push, ended],
    );
    if (changed === 0) return false;
    // A statement of its own: one that waited for a baseline that was being written does not see it.
    await run(tx, `delete from push_baseline where mesh = $1 and push = $2`, [mesh, push]);
    return true;
  });
}

export function getPush(db: Queryable, mesh: Name, push: string): Promise<PushRecord | null> {
  return maybeOne(db, pushRecordSchema, `select ${columns} from push where mesh = $1 and id = $2`, [mesh, push]);
}

/** Newest first. */
export function listPushes(db: Queryable, mesh: Name, limit: number): Promise<PushRecord[]> {
  return many(
    db,
    pushRecordSchema,
    `select ${columns} from push where mesh = $1 order by opened_at desc, id limit $2`,
    [mesh, limit],
  );
}

/** Those that have not ended, oldest first. */
export function listOpenPushes(db: Queryable, mesh: Name): Promise<PushRecord[]> {
  return many(
    db,
    pushRecordSchema,
    `select ${columns} from push where mesh = $1 and ended_at is null order by opened_at, id`,
    [mesh],
  );
}
