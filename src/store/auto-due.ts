import { z } from "zod";
import { digestSchema, nameSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { many } from "./rows.ts";

const autoDueSchema = z.object({ node: nameSchema, module: nameSchema, artifact: digestSchema });
/** `artifact`: the newest fit one, which the node was not sent yet. */
export type AutoDue = z.output<typeof autoDueSchema>;

/**
 * Nodes that run a module under `auto` at another build than the newest fit one; what is under it, `composeForPush` says
 * in the same way. Only nodes that were sent that module
 * before; a new assignment is made effective by a person's push, and so is a new host: what the one before it was sent
 * holds the node in every such push, and `status` says that it was never told (R21, R31).
 */
export function listAutoDue(db: Queryable, mesh: Name): Promise<AutoDue[]> {
  // Asked at each plan, when mostly nothing is due: what composing reads of the mesh is read by the push alone.
  return many(db, autoDueSchema, `${autoDueRows} order by a.node, a.module`, [mesh]);
}

/**
 * `$1`: the mesh. Nothing after a recovery until a person has sent something: what the records lost is put right first, and
 * only a person knows when (R35). Each send takes a number of the mesh, and the recovery says which was the last before.
 */
export const autoDueRows = `select a.node, a.module, m.fit_artifact as artifact
       from module m
       join assignment a on a.mesh = m.mesh and a.module = m.name
       join node n on n.mesh = a.mesh and n.name = a.node
      cross join lateral (select incarnation, builds ->> m.name as build from declaration
                           where mesh = n.mesh and node = n.name order by epoch desc, number desc limit 1) d
      where m.mesh = $1 and m.fit_artifact is not null and coalesce(m.manifest ->> 'upgrade', 'auto') = 'auto'
        and exists (select from artifact k where k.mesh = m.mesh and k.module = m.name and k.digest = m.fit_artifact
                       and k.manifest ->> 'upgrade' = 'auto')
        and d.incarnation = n.incarnation and d.build <> m.fit_artifact
        and not exists (
          select from recovery r join mesh k on k.name = r.mesh
           where r.mesh = $1 and r.epoch = (select max(epoch) from recovery where mesh = $1) and k.number <= r.number)`;
