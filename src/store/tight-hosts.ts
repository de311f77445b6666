import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import { tightDiskSchema } from "../core/tight-disk.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many } from "./rows.ts";

const tightHostSchema = z.object({ node: nameSchema, disks: z.array(tightDiskSchema), receivedAt: timeColumn });
export type TightHost = z.output<typeof tightHostSchema>;

/** Nodes whose host said, in its latest report, that a disk of its machine has little or no room. */
export function listTightHosts(db: Queryable, mesh: Name, most: number): Promise<TightHost[]> {
  return many(
    db,
    tightHostSchema,
    `select a.node, a.report -> 'disks' as disks, a.received_at as "receivedAt"
       from account a join node n on n.mesh = a.mesh and n.name = a.node and n.incarnation = a.incarnation
      where a.mesh = $1 and jsonb_typeof(a.report -> 'disks') = 'array'
      order by a.node limit $2`,
    [mesh, most],
  );
}
