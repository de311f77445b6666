import { z } from "zod";
import type { Name } from "../core/names.ts";
import { assignmentSchema, type Assignment } from "../core/node.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

const assignmentRecordSchema = z.object({ ...assignmentSchema.shape, assignedAt: timeColumn });
export type AssignmentRecord = z.output<typeof assignmentRecordSchema>;

const columns = `node, module, config, providers, assigned_at as "assignedAt"`;

/** The module runs on the node, with this configuration; a configuration it had before is replaced whole. */
export async function assign(db: Queryable, mesh: Name, assignment: Assignment): Promise<void> {
  const { node, module, config, providers } = assignmentSchema.parse(assignment);
  await run(
    db,
    `insert into assignment (mesh, node, module, config, providers) values ($1, $2, $3, $4, $5)
     on conflict (mesh, node, module) do update set config = excluded.config, providers = excluded.providers`,
    [mesh, node, module, storableJson(config), storableJson(providers)],
  );
}

/** False: it was not assigned. */
export async function unassign(db: Queryable, mesh: Name, which: { node: Name; module: Name }): Promise<boolean> {
  const values = [mesh, which.node, which.module];
  return (await run(db, `delete from assignment where mesh = $1 and node = $2 and module = $3`, values)) === 1;
}

export function getAssignment(
  db: Queryable,
  mesh: Name,
  which: { node: Name; module: Name },
): Promise<AssignmentRecord | null> {
  return maybeOne(
    db,
    assignmentRecordSchema,
    `select ${columns} from assignment where mesh = $1 and node = $2 and module = $3`,
    [mesh, which.node, which.module],
  );
}

/** By node, then module. */
export function listAssignments(db: Queryable, mesh: Name): Promise<AssignmentRecord[]> {
  return many(db, assignmentRecordSchema, `select ${columns} from assignment where mesh = $1 order by node, module`, [
    mesh,
  ]);
}

/** Of these nodes. By node, then module. */
export function listAssignmentsOf(db: Queryable, mesh: Name, nodes: readonly Name[]): Promise<Assignment[]> {
  return many(
    db,
    assignmentSchema,
    `select node, module, config, providers from assignment where mesh = $1 and node = any($2::text[]) order by node, module`,
    [mesh, nodes],
  );
}
