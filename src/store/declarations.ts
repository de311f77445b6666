import { z } from "zod";
import type { Declaration, Order } from "../core/declaration.ts";
import { provisionKindSchema } from "../core/manifest.ts";
import { digestSchema, nameSchema, type Name } from "../core/names.ts";
import { endpointSchema } from "../core/resource.ts";
import type { Offer } from "../decide/world.ts";
import { bigintColumn, bytesColumn, timeColumn } from "./columns.ts";
import type { Queryable, Transaction } from "./database.ts";
import { many, maybeOne } from "./rows.ts";
import { storableJson, storableText } from "./storable.ts";

/** NOTIFY channel of new declarations; the payload is `<mesh> <node>`. */
export const declarationChannel = "mesh_declaration";

export const offerSchema = z.object({ module: nameSchema, kind: provisionKindSchema, endpoint: endpointSchema });

const sentRecordSchema = z
  .object({
    node: nameSchema,
    epoch: bigintColumn,
    number: bigintColumn,
    digest: digestSchema,
    incarnation: z.string(),
    /** Null: the send was recorded without its builds. */
    builds: z.record(nameSchema, digestSchema).nullable(),
    offers: z.array(offerSchema),
    push: z.string(),
    round: z.number().int(),
    why: z.string(),
    issuedAt: timeColumn,
    staleAfter: timeColumn,
  })
  .transform(({ epoch, number, ...sent }) => ({ ...sent, order: { epoch, number } }));
/** The record of a send, without the bytes. */
export type SentRecord = z.output<typeof sentRecordSchema>;

const mailSchema = z
  .object({
    epoch: bigintColumn,
    number: bigintColumn,
    digest: digestSchema,
    incarnation: z.string(),
    envelope: bytesColumn,
  })
  .transform(({ epoch, number, ...mail }) => ({ ...mail, order: { epoch, number } }));
/** What a host fetches: the exact signed bytes. */
export type Mail = z.output<typeof mailSchema>;

const sentColumns = `epoch, number, digest, incarnation, builds, offers, push, round, why,
  issued_at as "issuedAt", stale_after as "staleAfter"`;

export interface NewDeclaration {
  readonly declaration: Declaration;
  /** The signed bytes of it. */
  readonly envelope: Uint8Array;
  readonly offers: readonly Offer[];
  readonly push: string;
  readonly round: number;
  readonly why: string;
}

/**
 * Sends and their records: a row each (R28), of one commit as of one statement. In the same statement the debts that these
 * declarations pay are marked with their order, and the gateway is notified of each node at COMMIT. Withdraw provisions
 * before, in the same transaction.
 */
export async function insertDeclarations(tx: Transaction, sent: readonly NewDeclaration[]): Promise<void> {
  const column = <T>(of: (one: NewDeclaration) => T): T[] => sent.map(of);
  const notified = await many(
    tx,
    z.object({ notified: z.literal(true) }),
    `with inserted as (
       insert into declaration (mesh, node, epoch, number, digest, incarnation, envelope, builds, offers, push, round,
                                why, issued_at, stale_after, granted)
         select s.mesh, s.node, s.epoch, s.number, s.digest, s.incarnation, s.envelope, s.builds, s.offers, s.push, s.round,
                s.why, s.issued_at, s.stale_after, array(select jsonb_array_elements_text(s.granted))
           from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bytea[], $8::jsonb[],
                       $9::jsonb[], $10::text[], $11::integer[], $12::text[], $13::timestamptz[], $14::timestamptz[],
                       $15::jsonb[])
             as s(mesh, node, epoch, number, digest, incarnation, envelope, builds, offers, push, round, why, issued_at,
                  stale_after, granted)
         returning mesh, node, epoch, number, granted),
     withdrawn as (
       update provision p set told_epoch = i.epoch, told_number = i.number from inserted i
        where p.mesh = i.mesh and p.provider_node = i.node and p.state = 'owed' and p.told_number is null
          and not (p.id || '#' || p.version = any(i.granted)))
     select pg_notify($16, mesh || ' ' || node) is not null as notified from inserted`,
    [
      column(({ declaration }) => declaration.mesh),
      column(({ declaration }) => declaration.node),
      column(({ declaration }) => declaration.epoch),
      column(({ declaration }) => declaration.number),
      column(({ declaration }) => declaration.digest),
      column(({ declaration }) => declaration.incarnation),
      column(({ envelope }) => Buffer.from(envelope)),
      column(({ declaration }) => storableJson(declaration.content.builds)),
      column(({ offers }) => storableJson(offers)),
      column(({ push }) => push),
      column(({ round }) => round),
      column(({ why }) => storableText(why)),
      column(({ declaration }) => declaration.issuedAt),
      column(({ declaration }) => declaration.staleAfter),
      column(({ declaration }) => storableJson(listGranted(declaration))),
      declarationChannel,
    ],
  );
  if (notified.length !== sent.length)
    throw new Error(`${notified.length} of ${sent.length} declarations were inserted`);
}

/** The newest by (epoch, number), whichever incarnation it is for; null: the node was never told. */
export function newestDeclaration(db: Queryable, mesh: Name, node: Name): Promise<Mail | null> {
  return maybeOne(
    db,
    mailSchema,
    `select epoch, number, digest, incarnation, envelope from declaration where mesh = $1 and node = $2
      order by epoch desc, number desc limit 1`,
    [mesh, node],
  );
}

/** Whether the node was ever sent that, by these records. */
export async function wasSent(db: Queryable, mesh: Name, node: Name, order: Order): Promise<boolean> {
  const found = await maybeOne(
    db,
    z.object({ found: z.literal(1) }),
    `select 1 as found from declaration where mesh = $1 and node = $2 and epoch = $3 and number = $4`,
    [mesh, node, order.epoch, order.number],
  );
  return found !== null;
}

export function getDeclaration(db: Queryable, mesh: Name, node: Name, order: Order): Promise<Mail | null> {
  return maybeOne(
    db,
    mailSchema,
    `select epoch, number, digest, incarnation, envelope from declaration
      where mesh = $1 and node = $2 and epoch = $3 and number = $4`,
    [mesh, node, order.epoch, order.number],
  );
}

export interface SentPlace {
  readonly node: Name;
  readonly order: Order;
}

const placedSchema = z.object({ node: nameSchema, envelope: bytesColumn });
/** The signed bytes of what a node was sent. */
export type PlacedEnvelope = z.output<typeof placedSchema>;

/** Those of these that the records have. */
export function listEnvelopes(db: Queryable, mesh: Name, places: readonly SentPlace[]): Promise<PlacedEnvelope[]> {
  return many(
    db,
    placedSchema,
    `select d.node, d.envelope
       from unnest($2::text[], $3::bigint[], $4::bigint[]) as place(node, epoch, number)
       join declaration d on d.mesh = $1 and d.node = place.node and d.epoch = place.epoch and d.number = place.number`,
    [
      mesh,
      places.map(({ node }) => node),
      places.map(({ order }) => order.epoch),
      places.map(({ order }) => order.number),
    ],
  );
}

/** What each registered node was last sent, by name. A node that was never told is not in it. */
export function listSent(db: Queryable, mesh: Name): Promise<SentRecord[]> {
  return listNewest(db, "n.mesh = $1", [mesh]);
}

/** The same of these nodes alone. */
export function listSentTo(db: Queryable, mesh: Name, nodes: readonly Name[]): Promise<SentRecord[]> {
  return listNewest(db, "n.mesh = $1 and n.name = any($2::text[])", [mesh, nodes]);
}

function listNewest(
  db: Queryable,
  which: "n.mesh = $1" | "n.mesh = $1 and n.name = any($2::text[])",
  values: readonly unknown[],
): Promise<SentRecord[]> {
  // One index look-up per node; DISTINCT ON would read every declaration there ever was.
  return many(
    db,
    sentRecordSchema,
    `select n.name as node, d.* from node n cross join lateral (
       select ${sentColumns} from declaration
        where mesh = n.mesh and node = n.name order by epoch desc, number desc limit 1) d
      where ${which} order by n.name`,
    values,
  );
}

/** Sends to one node, newest first. */
export function listSends(db: Queryable, mesh: Name, node: Name, limit: number): Promise<SentRecord[]> {
  return many(
    db,
    sentRecordSchema,
    `select node, ${sentColumns} from declaration where mesh = $1 and node = $2
      order by epoch desc, number desc limit $3`,
    [mesh, node, limit],
  );
}

function listGranted(declaration: Declaration): string[] {
  return declaration.content.resources.flatMap((resource) =>
    resource.kind === "grant" ? resource.grants.map((grant) => `${grant.provision}#${grant.version}`) : [],
  );
}
