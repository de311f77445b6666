import { z } from "zod";
import { digestSchema, nameSchema, type Name } from "../core/names.ts";
import type { Claim, ClaimFacts } from "../decide/judge-claim.ts";
import type { Order } from "../core/declaration.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import type { ReadRows } from "./row-memory.ts";
import { many, one, run } from "./rows.ts";

const claimRecordSchema = z
  .object({
    node: nameSchema,
    incarnation: z.string(),
    epoch: bigintColumn,
    number: bigintColumn,
    digest: digestSchema.nullable(),
    kind: z.enum(["ahead", "fork"]),
    since: timeColumn,
    heardAt: timeColumn,
    leftOutAt: timeColumn.nullable(),
    leftOutBy: z.string().nullable(),
  })
  .transform(({ epoch, number, ...claim }) => ({
    ...claim,
    order: { epoch, number },
    isLeftOut: claim.leftOutAt !== null,
  }));
/** What the host that is enrolled now says that it has, and these records never sent to it. */
export type ClaimRecord = z.output<typeof claimRecordSchema>;

/** By node. Of hosts that were replaced since there is nothing in it. */
export function listClaims(db: Queryable, mesh: Name, read: ReadRows = many): Promise<ClaimRecord[]> {
  return read(
    db,
    claimRecordSchema,
    `select c.node, c.incarnation, c.epoch, c.number, c.digest, c.kind, c.since, c.heard_at as "heardAt",
            c.left_out_at as "leftOutAt", c.left_out_by as "leftOutBy"
       from host_claim c join node n on n.mesh = c.mesh and n.name = c.node and n.incarnation = c.incarnation
      where c.mesh = $1 order by c.node`,
    [mesh],
  );
}

/** The host has taken what is above its claim: it is history. One that a person left out stays marked as that. */
export function settleClaim(tx: Queryable, mesh: Name, node: Name, has: Order): Promise<number> {
  return run(
    tx,
    `delete from host_claim where mesh = $1 and node = $2 and left_out_at is null
        and (epoch, number) < ($3::bigint, $4::bigint)`,
    [mesh, node, has.epoch, has.number],
  );
}

const claimFactsSchema = z
  .object({
    incarnation: z.string().nullable(),
    sentDigest: digestSchema.nullable(),
    prunedEpoch: bigintColumn.nullable(),
    prunedNumber: bigintColumn.nullable(),
    recoveredEpoch: bigintColumn.nullable(),
    recoveredNumber: bigintColumn.nullable(),
    isLeftOut: z.boolean(),
  })
  .transform(({ recoveredEpoch, recoveredNumber, prunedEpoch, prunedNumber, ...facts }) => ({
    ...facts,
    recovered: orderOf(recoveredEpoch, recoveredNumber),
    pruned: orderOf(prunedEpoch, prunedNumber),
  }));

function orderOf(epoch: number | null, number: number | null): Order | null {
  return epoch === null || number === null ? null : { epoch, number };
}

/** What `judgeClaim` needs of the records. */
export function readClaimFacts(tx: Queryable, mesh: Name, claim: Claim): Promise<ClaimFacts> {
  return one(
    tx,
    claimFactsSchema,
    `select n.incarnation, d.digest as "sentDigest", r.epoch as "recoveredEpoch", r.number as "recoveredNumber",
            u.epoch as "prunedEpoch", u.number as "prunedNumber", c.left_out_at is not null as "isLeftOut"
       from mesh m
       left join node n on n.mesh = m.name and n.name = $2
       left join declaration d on d.mesh = m.name and d.node = $2 and d.epoch = $3 and d.number = $4
       left join pruned_declaration u on u.mesh = m.name and u.node = $2
       left join host_claim c on c.mesh = m.name and c.node = $2 and c.incarnation = $5
       left join lateral (select epoch, number from recovery where mesh = m.name order by epoch desc limit 1) r on true
      where m.name = $1`,
    [mesh, claim.node, claim.order.epoch, claim.order.number, claim.incarnation],
  );
}

/** A late word does not lower what its host said already; the word of another host under this name begins anew. */
export function writeClaim(tx: Queryable, mesh: Name, claim: Claim, kind: "ahead" | "fork"): Promise<number> {
  return run(
    tx,
    `insert into host_claim (mesh, node, incarnation, epoch, number, digest, kind) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (mesh, node) do update set heard_at = now(), count = host_claim.count + 1,
       incarnation = excluded.incarnation, since = case when ${isSameHost} then host_claim.since else now() end,
       epoch = case when ${isLower} then host_claim.epoch else excluded.epoch end,
       number = case when ${isLower} then host_claim.number else excluded.number end,
       kind = case when ${isLower} then host_claim.kind else excluded.kind end,
       digest = case when ${isLower} then host_claim.digest
         when ${isSameHost} and (excluded.epoch, excluded.number) = (host_claim.epoch, host_claim.number)
           then coalesce(excluded.digest, host_claim.digest)
         else excluded.digest end,
       left_out_at = case when ${isSameHost} then host_claim.left_out_at end,
       left_out_by = case when ${isSameHost} then host_claim.left_out_by end`,
    [mesh, claim.node, claim.incarnation, claim.order.epoch, claim.order.number, claim.digest, kind],
  );
}

const isSameHost = `host_claim.incarnation = excluded.incarnation`;
const isLower = `(${isSameHost} and (excluded.epoch, excluded.number) < (host_claim.epoch, host_claim.number))`;
