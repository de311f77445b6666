import { z } from "zod";
import { nameSchema, timestampSchema, type Name } from "../core/names.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { maybeOne, run } from "./rows.ts";

const meshRecordSchema = z.object({
  name: nameSchema,
  /** The last number that was taken. */
  number: bigintColumn,
  /** The epoch that may write; 0 before the first grant. */
  epoch: bigintColumn,
  epochFloor: bigintColumn,
  createdAt: timeColumn.pipe(timestampSchema),
});
export type MeshRecord = z.output<typeof meshRecordSchema>;

/** Makes the mesh's record where there is none. Answers whether it was made now. */
export async function ensureMesh(db: Queryable, mesh: Name): Promise<boolean> {
  return (
    (await run(db, `insert into mesh (name) values ($1) on conflict (name) do nothing`, [nameSchema.parse(mesh)])) === 1
  );
}

export function getMesh(db: Queryable, mesh: Name): Promise<MeshRecord | null> {
  return maybeOne(
    db,
    meshRecordSchema,
    `select name, number, epoch, epoch_floor as "epochFloor", created_at as "createdAt" from mesh where name = $1`,
    [mesh],
  );
}
