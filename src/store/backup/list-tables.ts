import { z } from "zod";
import type { Queryable } from "../database.ts";
import { many } from "../rows.ts";
import { tableRights } from "../writers/table-rights.ts";

const tableRowSchema = z.object({
  name: z.string().regex(/^[a-z][a-z_]{0,62}$/),
  columns: z.array(z.string()),
  /** Whether a row may be of many MiB: it has documents or bytes in it. */
  isWide: z.boolean(),
});
/** A table of ours, as PostgreSQL has it now. Its name needs no escaping. */
export type TableRow = z.output<typeof tableRowSchema>;

/** Apart from records: how the tables were made. */
const ours = tableRights.map(({ table }) => table).filter((table) => table !== "schema_migration");

/** Those that foreign keys refer to before those that refer. What else lies in the database is not ours to touch. */
export async function listTables(db: Queryable): Promise<TableRow[]> {
  const tables = await many(
    db,
    tableRowSchema,
    `select c.relname::text as name, array(
              select a.attname::text from pg_attribute a
               where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
            exists (select from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                       and a.atttypid in ('bytea'::regtype, 'jsonb'::regtype, 'json'::regtype)) as "isWide"
       from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
        and c.relname = any($1::text[]) order by c.relname`,
    [ours],
  );
  const references = await many(
    db,
    z.object({ from: z.string(), to: z.string() }),
    `select f.relname::text as from, t.relname::text as to from pg_constraint k
       join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
      where k.contype = 'f' and k.connamespace = current_schema()::regnamespace and k.conrelid <> k.confrelid`,
  );
  return sortByReferences(tables, references);
}

function sortByReferences(
  tables: readonly TableRow[],
  references: readonly { readonly from: string; readonly to: string }[],
): TableRow[] {
  const sorted: TableRow[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name));
    const free = left.filter(({ name }) => !references.some(({ from, to }) => from === name && names.has(to)));
    if (free.length === 0) throw new Error(`tables refer to each other in a ring: ${[...names].join(", ")}`);
    sorted.push(...free);
    left = left.filter((table) => !free.includes(table));
  }
  return sorted;
}
