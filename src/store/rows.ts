import type { z } from "zod";
import type { Answer, Queryable } from "./database.ts";

/** Exactly one row. None or several is an error: of ours, or of a record that is not as it should be. */
export async function one<S extends z.ZodType>(
  db: Queryable,
  row: S,
  sql: string,
  values: readonly unknown[] = [],
): Promise<z.output<S>> {
  const answer = await db.query(sql, values);
  if (answer.rows.length !== 1) throw new Error(`expected one row, got ${answer.rows.length}: ${shorten(sql)}`);
  return parseRow(row, answer.rows[0], sql);
}

/** One row or null. */
export async function maybeOne<S extends z.ZodType>(
  db: Queryable,
  row: S,
  sql: string,
  values: readonly unknown[] = [],
): Promise<z.output<S> | null> {
  const answer = await db.query(sql, values);
  if (answer.rows.length > 1) throw new Error(`expected one row or none, got ${answer.rows.length}: ${shorten(sql)}`);
  return answer.rows.length === 0 ? null : parseRow(row, answer.rows[0], sql);
}

/** All rows. A row that does not parse is an error, never left out (R26). */
export async function many<S extends z.ZodType>(
  db: Queryable,
  row: S,
  sql: string,
  values: readonly unknown[] = [],
): Promise<z.output<S>[]> {
  const answer = await db.query(sql, values);
  return answer.rows.map((found) => parseRow(row, found, sql));
}

/**
 * All rows, of things that are each their own: one that does not parse is set aside under its key, for the caller to say, and
 * hides no other (R26). A row whose key does not parse either is an error.
 */
export async function manySetAside<S extends z.ZodType, K extends z.ZodType>(
  db: Queryable,
  { row, key }: { readonly row: S; readonly key: K },
  sql: string,
  values: readonly unknown[] = [],
): Promise<{ rows: z.output<S>[]; aside: { key: z.output<K>; why: string }[] }> {
  const rows: z.output<S>[] = [];
  const aside: { key: z.output<K>; why: string }[] = [];
  for (const found of (await db.query(sql, values)).rows) {
    const read = readRow(row, found);
    if (read.ok) rows.push(read.data);
    else aside.push({ key: parseRow(key, found, sql), why: read.why });
  }
  return { rows, aside };
}

/** A statement without rows; answers how many it changed. */
export async function run(db: Queryable, sql: string, values: readonly unknown[] = []): Promise<number> {
  const answer: Answer = await db.query(sql, values);
  return answer.count;
}

export function parseRow<S extends z.ZodType>(row: S, found: unknown, sql: string): z.output<S> {
  const read = readRow(row, found);
  if (read.ok) return read.data;
  throw new Error(`a record does not read as it should (${read.why}): ${shorten(sql)}`, { cause: read.error });
}

export type RowRead<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly why: string; readonly error: z.ZodError };

/** `why` names columns and rules; zod puts no values of the row in them by default. */
export function readRow<S extends z.ZodType>(row: S, found: unknown): RowRead<z.output<S>> {
  const parsed = row.safeParse(found);
  if (parsed.success) return { ok: true, data: parsed.data };
  const why = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
  return { ok: false, why, error: parsed.error };
}

function shorten(sql: string): string {
  return sql.trim().replaceAll(/\s+/g, " ").slice(0, 100);
}
