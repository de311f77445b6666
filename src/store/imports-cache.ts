import { z } from "zod";
import { objectIdSchema, type ObjectId } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { many, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

/**
 * Imports of a file by its blob id and the reader's version, e.g. `typescript/3`: the same bytes read by the same
 * reader never change. `imports` is the reader's own JSON; whoever reads it parses it again.
 */
export async function getCachedImports(
  db: Queryable,
  reader: string,
  blobs: readonly ObjectId[],
): Promise<Map<ObjectId, unknown>> {
  const rows = await many(
    db,
    z.object({ blob: objectIdSchema, imports: z.unknown() }),
    `select blob, imports from blob_imports where reader = $1 and blob = any($2::text[])`,
    [reader, blobs],
  );
  return new Map(rows.map((row) => [row.blob, row.imports]));
}

export async function putCachedImports(
  db: Queryable,
  reader: string,
  imports: ReadonlyMap<ObjectId, unknown>,
): Promise<void> {
  const rows = [...imports].map(([blob, found]) => ({ blob, imports: found }));
  await run(
    db,
    `insert into blob_imports (blob, reader, imports)
       select blob, $1, imports from jsonb_to_recordset($2::jsonb) as r(blob text, imports jsonb)
     on conflict (blob, reader) do nothing`,
    [reader, storableJson(rows)],
  );
}
