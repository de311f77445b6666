import { z } from "zod";
import type { Declaration, Order } from "../core/declaration.ts";
import { provisionKindSchema } from "../core/manifest.ts";
import { digestSchema, nameSchema, type Name } from "../core/names.ts";
import { endpointSchema } from "../core/resource.ts";
import type { Offer } from "../decide/world.ts";
import { bigintColumn, bytesColumn, timeColumn } from "./columns.ts";
import type { Queryable, Transaction } from "./database.ts";
import { many, maybeOne, one } from "./rows.ts";
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
 * The send and its record: one row (R28). In the same statement the debts that this declaration pays are marked with
 * its order, and the gateway is notified at COMMIT. Withdraw provisions before, in the same transaction.
 */
export async function insertDeclaration(tx: Transaction, sent: NewDeclaration): Promise<void> {
  const { declaration } = sent;
  await one(
    tx,
    z.object({ notified: z.literal(true) }),
    `with inserted as (
       insert into declaration (mesh, node, epoch, number, digest, incarnation, envelope, builds, offers, push, round,
                                why, issued_at, stale_after, granted)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) returning mesh, node, epoch, number),
     withdrawn as (
       update provision p set told_epoch = i.epoch, told_number = i.number from inserted i
        where p.mesh = i.mesh and p.provider_node = i.node and p.state = 'owed' and p.told_number is null
          and not (p.id || '#' || p.version = any($15::text[])))
     select pg_notify($16, mesh || ' ' || node) is not null as notified from inserted`,
    [
      declaration.mesh,
      declaration.node,
      declaration.epoch,
      declaration.number,
      declaration.digest,
      declaration.incarnation,
      Buffer.from(sent.envelope),
      storableJson(declaration.content.builds),
      storableJson(sent.offers),
      sent.push,
      sent.round,
      storableText(sent.why),
      declaration.issuedAt,
      declaration.staleAfter,
      listGranted(declaration),
      declarationChannel,
    ],
  );
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

/** What each registered node was last sent, by name. A node that was never told is not in it. */
export function listSent(db: Queryable, mesh: Name): Promise<SentRecord[]> {
  // One index look-up per node; DISTINCT ON would read every declaration there ever was.
  return many(
    db,
    sentRecordSchema,
    `select n.name as node, d.* from node n cross join lateral (
       select ${sentColumns} from declaration
        where mesh = n.mesh and node = n.name order by epoch desc, number desc limit 1) d
      where n.mesh = $1 order by n.name`,
    [mesh],
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
