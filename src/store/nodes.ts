import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { nameSchema, type Name } from "../core/names.ts";
import { orderedProtocol } from "../core/protocol.ts";
import { addressSchema, hostKeysSchema } from "../core/node.ts";
import { ageColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, run } from "./rows.ts";

const nodeRecordSchema = z
  .object({
    name: nameSchema,
    address: addressSchema,
    /** Fingerprint of the enrolled host's key; null before enrolment. */
    incarnation: z.string().nullable(),
    signKey: z.string().nullable(),
    sealKey: z.string().nullable(),
    registeredAt: timeColumn,
    enrolledAt: timeColumn.nullable(),
    /** Of the certificate authority that its host pins; null: not known (enrolled before that was kept). */
    authorityEndsAt: timeColumn.nullable(),
    lastContactAt: timeColumn.nullable(),
    /** Reports that were older, or another's (R38). */
    refusedReports: z.number().int(),
    /** What its host speaks (R37). */
    protocol: z.number().int(),
    /** Since the last contact, or until it, where the clock was set back since: nobody knows then; null: there was none. */
    silentMs: ageColumn.nullable(),
  })
  .transform(({ signKey, sealKey, ...node }) => ({
    ...node,
    /** Public keys of the enrolled host. */
    keys: signKey === null || sealKey === null ? null : hostKeysSchema.parse({ sign: signKey, seal: sealKey }),
  }));
export type NodeRecord = z.output<typeof nodeRecordSchema>;

const columns = `name, address, incarnation, sign_key as "signKey", seal_key as "sealKey", registered_at as "registeredAt",
  enrolled_at as "enrolledAt", authority_ends_at as "authorityEndsAt", last_contact_at as "lastContactAt", refused_reports as "refusedReports", protocol,
  abs(extract(epoch from now() - last_contact_at))::float8 * 1000 as "silentMs"`;

/** Registers a node; the same again changes nothing, and is *known*. Another address under a known name is refused: see moveNode. */
export async function addNode(
  db: Queryable,
  mesh: Name,
  node: { name: Name; address: string },
): Promise<"added" | "known"> {
  const kept = await maybeOne(
    db,
    z.object({ isNew: z.boolean() }),
    `insert into node (mesh, name, address) values ($1, $2, $3)
     on conflict (mesh, name) do update set address = excluded.address where node.address = excluded.address
     returning xmax = 0 as "isNew"`,
    [mesh, nameSchema.parse(node.name), addressSchema.parse(node.address)],
  );
  if (kept !== null) return kept.isNew ? "added" : "known";
  const at = (await getNode(db, mesh, node.name))?.address ?? "another address";
  throw new InputError(
    `node ${node.name} is registered at ${at} already; nothing was changed`,
    `where it is at ${node.address} now: mesh node add ${node.name} --address ${node.address} --moved; else give it another name`,
  );
}

/** False: no such node. */
export async function moveNode(db: Queryable, mesh: Name, node: { name: Name; address: string }): Promise<boolean> {
  const values = [mesh, node.name, addressSchema.parse(node.address)];
  return (await run(db, `update node set address = $3 where mesh = $1 and name = $2`, values)) === 1;
}

export function getNode(db: Queryable, mesh: Name, name: Name): Promise<NodeRecord | null> {
  return maybeOne(db, nodeRecordSchema, `select ${columns} from node where mesh = $1 and name = $2`, [mesh, name]);
}

export function listNodes(db: Queryable, mesh: Name): Promise<NodeRecord[]> {
  return many(db, nodeRecordSchema, `select ${columns} from node where mesh = $1 order by name`, [mesh]);
}

/** Those of these that are registered. */
export function listNodesNamed(db: Queryable, mesh: Name, names: readonly Name[]): Promise<NodeRecord[]> {
  return many(
    db,
    nodeRecordSchema,
    `select ${columns} from node where mesh = $1 and name = any($2::text[]) order by name`,
    [mesh, names],
  );
}

/**
 * An authenticated host was here, and speaks this. Written at most every 5 s: hosts ask more often than anybody reads it.
 * One that is to come is of a clock that was ahead, and was put right since: it would hide for as long that a host is silent.
 */
export async function recordContact(db: Queryable, mesh: Name, node: Name, protocol = orderedProtocol): Promise<void> {
  await run(
    db,
    `update node set last_contact_at = now(), protocol = $3 where mesh = $1 and name = $2
        and (last_contact_at is null or last_contact_at < now() - interval '5 seconds' or last_contact_at > now()
          or protocol <> $3)`,
    [mesh, node, protocol],
  );
}
