import { z } from "zod";
import { ageColumn, bigintColumn } from "../columns.ts";
import { createPruneTable, fromTheLast, keptSince, sinceMs, type PruneTable } from "./prune-table.ts";

/** Old pushes, 20 at a time from where the reading goes on: by the index that lists them. */
const somePushes = `(select mesh, id, opened_at, ended_at from push
    where mesh = $1 and opened_at < ${keptSince} and ended_at < ${keptSince}
      and opened_at >= coalesce(($2::jsonb ->> 'opened')::timestamptz, '-infinity')
      and ($2::jsonb is null or (opened_at, id) >= (($2::jsonb ->> 'opened')::timestamptz, $2::jsonb ->> 'push'))
    order by opened_at, id limit 20) p`;

/** Of `r`, a row of removed nodes: no node has its name now. */
const isRemoved = `r.mesh = $1 and not exists (select from node k where k.mesh = r.mesh and k.name = r.name)`;

const afterInPush = `($2::jsonb is null or p.id <> $2::jsonb ->> 'push'
    or (round, node) > (($2::jsonb ->> 'round')::integer, $2::jsonb ->> 'node'))`;

const keyInPush = `jsonb_build_object('opened', p.opened_at::text, 'push', p.id,
    'round', coalesce(t.round, 2147483647), 'node', coalesce(t.node, ''))`;

const keysInPush = `select push, round, node from jsonb_to_recordset($2::jsonb) as k(push text, round integer, node text)`;

export const pruneSends: readonly PruneTable[] = [
  createPruneTable({
    kind: "declarations",
    row: z.object({
      ageMs: ageColumn.nullable(),
      isAmongLast: z.boolean(),
      epoch: bigintColumn.nullable(),
      number: bigintColumn.nullable(),
      incarnation: z.string().nullable(),
      enrolled: z.string().nullable(),
      accountOf: z.string().nullable(),
      accountEpoch: bigintColumn.nullable(),
      accountNumber: bigintColumn.nullable(),
      claimEpoch: bigintColumn.nullable(),
      claimNumber: bigintColumn.nullable(),
      isOpen: z.boolean(),
    }),
    // The oldest of each node, whatever their age: what may go is at the beginning, and the index gives it at once. No host
    // of a removed node is enrolled; once it is removed for as long as records are kept, none of its sends is among the last.
    read: `select jsonb_build_object('node', n.name, 'epoch', d.epoch, 'number', d.number) as key,
        ${sinceMs("d.issued_at")} as "ageMs", d.epoch, d.number, d.incarnation, n.incarnation as enrolled,
        not n.gone and (l.epoch is null or (d.epoch, d.number) >= (l.epoch, l.number)) as "isAmongLast",
        a.incarnation as "accountOf", a.epoch as "accountEpoch", a.number as "accountNumber",
        c.epoch as "claimEpoch", c.number as "claimNumber",
        exists (select from push p where p.mesh = n.mesh and p.id = d.push and p.ended_at is null) as "isOpen"
      from (select mesh, name, incarnation, gone from (
              select mesh, name, incarnation, false as gone from node where mesh = $1 union all
              select mesh, name, null, removed_at < ${keptSince} from removed_node r where ${isRemoved}) known
             where name > coalesce($2::jsonb ->> 'node', '') order by name limit 100) n
      left join lateral (select epoch, number, incarnation, issued_at, push from declaration
                          where mesh = n.mesh and node = n.name and $3::float8 is not null
                          order by epoch, number limit $5::integer) d on true
      left join lateral (select epoch, number from declaration where mesh = n.mesh and node = n.name
                          order by epoch desc, number desc offset $4::integer - 1 limit 1) l on true
      left join account a on a.mesh = n.mesh and a.node = n.name
      left join host_claim c on c.mesh = n.mesh and c.node = n.name
      order by n.name, d.epoch, d.number`,
    toRecord: ({ ageMs, epoch, number, incarnation, ...sent }) =>
      ageMs === null || epoch === null || number === null || incarnation === null
        ? null
        : {
            kind: "declarations",
            ageMs,
            order: { epoch, number },
            incarnation,
            isAmongLast: sent.isAmongLast,
            enrolled: sent.enrolled,
            isOpen: sent.isOpen,
            claim:
              sent.claimEpoch === null || sent.claimNumber === null
                ? null
                : { epoch: sent.claimEpoch, number: sent.claimNumber },
            account:
              sent.accountOf === null || sent.accountEpoch === null || sent.accountNumber === null
                ? null
                : { incarnation: sent.accountOf, order: { epoch: sent.accountEpoch, number: sent.accountNumber } },
          },
    // What its host may still name is noted in the same statement.
    remove: `with gone as (
        delete from declaration where mesh = $1 and (node, epoch, number) in (
          select node, epoch, number from jsonb_to_recordset($2::jsonb) as k(node text, epoch bigint, number bigint))
        returning mesh, node, epoch, number),
      noted as (
        insert into pruned_declaration as known (mesh, node, epoch, number)
          select distinct on (node) mesh, node, epoch, number from gone order by node, epoch desc, number desc
        on conflict (mesh, node) do update set epoch = excluded.epoch, number = excluded.number
          where (known.epoch, known.number) < (excluded.epoch, excluded.number))
      select 1 from gone`,
  }),
  createPruneTable({
    kind: "told",
    row: z.object({
      ageMs: ageColumn.nullable(),
      hasDeclaration: z.boolean(),
      isLast: z.boolean(),
      round: z.number().nullable(),
    }),
    // What is asked of each row comes last: of those that are read, and no others.
    read: `select s.key, s.round, ${sinceMs("s.ended_at")} as "ageMs",
        exists (select from declaration d where d.mesh = $1 and d.node = s.node and d.epoch = s.epoch
                                             and d.number = s.number) as "hasDeclaration",
        not exists (select from told n where n.mesh = $1 and n.node = s.node and n.at >= s.at
                                         and (n.at, n.round) > (s.at, s.round))
          and not exists (select from removed_node r where ${isRemoved} and name = s.node and removed_at < ${keptSince}) as "isLast"
      from (select ${keyInPush} as key, p.opened_at, p.id, p.ended_at, t.round, t.node, t.epoch, t.number, t.at
        from ${somePushes} left join lateral (
          select round, node, epoch, number, at from told where mesh = p.mesh and push = p.id and ${afterInPush}
           and $4::integer is not null order by round, node limit $5::integer) t on true
        order by p.opened_at, p.id, t.round, t.node limit 1000) s
      order by s.opened_at, s.id, s.round, s.node`,
    toRecord: ({ round, ageMs, hasDeclaration, isLast }) =>
      round === null ? null : { kind: "told", ageMs, hasDeclaration, isLast },
    remove: `delete from told where mesh = $1 and (push, round, node) in (${keysInPush})`,
  }),
  createPruneTable({
    kind: "targets",
    row: z.object({ ageMs: ageColumn.nullable(), round: z.number().nullable() }),
    read: `select ${keyInPush} as key, t.round, ${sinceMs("p.ended_at")} as "ageMs"
      from ${somePushes} left join lateral (
        select round, node from push_target where mesh = p.mesh and push = p.id and ${afterInPush}
         and $4::integer is not null order by round, node limit $5::integer) t on true
      order by p.opened_at, p.id, t.round, t.node limit 2000`,
    toRecord: ({ round, ageMs }) => (round === null ? null : { kind: "targets", ageMs }),
    remove: `delete from push_target where mesh = $1 and (push, round, node) in (${keysInPush})`,
  }),
  createPruneTable({
    kind: "pushes",
    row: z.object({
      ageMs: ageColumn.nullable(),
      isAmongLast: z.boolean(),
      hasTold: z.boolean(),
      hasTargets: z.boolean(),
    }),
    read: `select jsonb_build_object('opened', opened_at::text, 'push', id) as key, ${sinceMs("ended_at")} as "ageMs",
        opened_at >= ${fromTheLast("opened_at", "push where mesh = $1")} as "isAmongLast",
        exists (select from told t where t.mesh = p.mesh and t.push = p.id) as "hasTold",
        exists (select from push_target t where t.mesh = p.mesh and t.push = p.id) as "hasTargets"
      from push p where mesh = $1 and opened_at < ${keptSince} and $5::integer is not null
        and opened_at >= coalesce(($2::jsonb ->> 'opened')::timestamptz, '-infinity')
        and ($2::jsonb is null or (opened_at, id) > (($2::jsonb ->> 'opened')::timestamptz, $2::jsonb ->> 'push'))
      order by opened_at, id limit 1000`,
    toRecord: (row) => ({ kind: "pushes", ...row }),
    remove: `delete from push where mesh = $1 and ended_at is not null and id in (
        select push from jsonb_to_recordset($2::jsonb) as k(push text))`,
  }),
];
