import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Database, Queryable, Transaction } from "./database.ts";
import { gateLimits } from "./gate.ts";
import { many, one, run } from "./rows.ts";
import { inTransaction } from "./transaction.ts";

const accessSchema = z.object({ node: nameSchema, module: nameSchema, requirement: z.string(), provider: nameSchema });

const removalSchema = z.object({
  known: z.boolean(),
  removed: z.boolean(),
  enrolled: z.boolean(),
  /** Its host has not read back, at the last declaration or later, that it has that. */
  unread: z.boolean(),
  /** Nothing is removed then: what hosts have is the ground that a recovery goes on above (R35). */
  stopped: z.boolean(),
  /** Modules. */
  assigned: z.array(nameSchema),
  /** Modules of the last declaration to it. */
  carried: z.array(nameSchema),
  /** The last declaration was recorded without its builds: it may hold anything. */
  carriesUnknown: z.boolean(),
  /** Issued to it, or from it. */
  issued: z.array(accessSchema),
  /** Withdrawn, and its host has not confirmed it: nobody else can (R20). */
  owed: z.array(accessSchema),
});

/** Not `removed`: it is not `known`, or what follows says why. */
export type NodeRemoval = z.output<typeof removalSchema>;

/**
 * Takes a node away with its host's keys, tokens and account, and leaves a note of its name. Not while the mesh is stopped,
 * something is assigned to it, was last sent to it, or is issued to or from it. Its host enrolled, did not read back what it
 * was last sent, or owes a withdrawal: only where that is said to be meant, and such a debt is given up. All of it is asked
 * in the statement that removes, which no push is beside: one that was composing for the node is seen as it ended, and the
 * next one finds no node. What was sent is history, and is pruned in time; numbers stay, which are the mesh's (R35, R36).
 */
export function removeNode(db: Database, mesh: Name, name: Name, options: RemovalOptions): Promise<NodeRemoval> {
  // Each statement sees what was committed before it: the second one, all that the first one waited for.
  // A host's claim that stops the mesh takes the two rows the other way round: asked again, the mesh is stopped.
  return inTransaction(db, { isolation: "read committed", ...gateLimits, retryLimit: 3 }, async (tx) => {
    await keepGate(tx, mesh);
    return removeUnused(tx, mesh, name, options);
  });
}

interface RemovalOptions {
  readonly by: string;
  readonly whereEnrolled: "stays" | "goes";
}

/**
 * People may not lock the gate's table, which takes a right to write all of it (R41). To write one column of it waits for
 * whoever holds it in the same way, and until this transaction ends holds up who comes, before they take their snapshot.
 */
async function keepGate(tx: Transaction, mesh: Name): Promise<void> {
  await run(tx, `update mesh set removal_asked_at = now() where name = $1`, [mesh]);
}

function removeUnused(
  db: Transaction,
  mesh: Name,
  name: Name,
  { by, whereEnrolled }: RemovalOptions,
): Promise<NodeRemoval> {
  const access = (state: string, side: string): string =>
    `select consumer_node as node, consumer_module as module, requirement, provider_node as provider
       from provision where mesh = $1 and state = '${state}' and ${side}`;
  return one(
    db,
    removalSchema,
    `with known as (select * from node where mesh = $1 and name = $2),
     stopped as (select from mesh where name = $1 and stopped_at is not null),
     assigned as (select module from assignment where mesh = $1 and node = $2),
     last as (
       select epoch, number, builds from declaration where mesh = $1 and node = $2 order by epoch desc, number desc limit 1),
     carried as (select jsonb_object_keys(builds) as module from last where builds is not null),
     issued as (${access("issued", "(consumer_node = $2 or provider_node = $2)")}),
     owed as (${access("owed", "provider_node = $2")}),
     unread as (
       select from last l where not exists (
         select from account a join known n on n.incarnation = a.incarnation
          where a.mesh = $1 and a.node = $2 and (a.epoch, a.number) >= (l.epoch, l.number))),
     removed as (
       delete from node where mesh = $1 and name = $2
          and not exists (select from stopped) and not exists (select from assigned)
          and not exists (select from carried) and not exists (select from last where builds is null)
          and not exists (select from issued)
          and ($3 = 'goes' or (incarnation is null and not exists (select from owed) and not exists (select from unread)))
        returning mesh, name, incarnation),
     noted as (
       insert into removed_node (mesh, name, incarnation, removed_by) select mesh, name, incarnation, $4 from removed
       on conflict (mesh, name) do update
          set incarnation = excluded.incarnation, removed_at = now(), removed_by = excluded.removed_by),
     given_up as (
       update provision p set state = 'withdrawn' from removed r
        where p.mesh = r.mesh and p.provider_node = r.name and p.state = 'owed'),
     said as (
       delete from condition c using removed r
        where c.mesh = r.mesh and ((c.code in ('unknown-host', 'host-clock', 'drift-mended', 'second-writer') and c.subject = r.name)
           or (c.code = 'data-lost' and starts_with(c.subject, r.name || '/'))
           or (c.code = 'host-disk-full' and starts_with(c.subject, r.name || ' '))))
     select exists (select from known) as known, exists (select from removed) as removed,
            exists (select from known where incarnation is not null) as enrolled, exists (select from unread) as unread,
            exists (select from stopped) as stopped, array(select module from assigned order by 1) as assigned,
            array(select module from carried order by 1) as carried,
            exists (select from last where builds is null) as "carriesUnknown",
            coalesce((select jsonb_agg(to_jsonb(i) order by node, module, requirement, provider) from issued i), '[]') as issued,
            coalesce((select jsonb_agg(to_jsonb(o) order by node, module, requirement, provider) from owed o), '[]') as owed`,
    [mesh, name, whereEnrolled, by],
  );
}

const removedSchema = z.object({ name: nameSchema, removedAt: timeColumn, removedBy: z.string() });
export type RemovedNode = z.output<typeof removedSchema>;

/** Names that were nodes and are none now. */
export function listRemovedNodes(db: Queryable, mesh: Name): Promise<RemovedNode[]> {
  return many(
    db,
    removedSchema,
    `select name, removed_at as "removedAt", removed_by as "removedBy" from removed_node r
      where mesh = $1 and not exists (select from node n where n.mesh = r.mesh and n.name = r.name) order by name`,
    [mesh],
  );
}

/** Whether this was a node and is none now. */
export async function wasNodeRemoved(db: Queryable, mesh: Name, name: string): Promise<boolean> {
  const found = await one(
    db,
    z.object({ removed: z.boolean() }),
    `select exists (select from removed_node where mesh = $1 and name = $2)
        and not exists (select from node where mesh = $1 and name = $2) as removed`,
    [mesh, name],
  );
  return found.removed;
}
