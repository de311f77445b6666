import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import { tightDiskSchema } from "../core/tight-disk.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { manySetAside } from "./rows.ts";

const tightHostSchema = z.object({ node: nameSchema, disks: z.array(tightDiskSchema), receivedAt: timeColumn });
export type TightHost = z.output<typeof tightHostSchema>;

/** Nodes whose host said, in its latest report, that a disk of its machine has little or no room. */
export async function listTightHosts(db: Queryable, mesh: Name, most: number): Promise<TightHost[]> {
  // Where this part of a report does not read, none of it does: `account-unreadable` says so of that node.
  const { rows } = await manySetAside(
    db,
    { row: tightHostSchema, key: z.object({ node: nameSchema }) },
    `select a.node, a.report -> 'disks' as disks, a.received_at as "receivedAt"
       from account a join node n on n.mesh = a.mesh and n.name = a.node and n.incarnation = a.incarnation
      where a.mesh = $1 and jsonb_typeof(a.report -> 'disks') = 'array'
      order by a.node limit $2`,
    [mesh, most],
  );
  return rows;
}
