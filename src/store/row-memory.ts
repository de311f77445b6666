import type { z } from "zod";
import type { Queryable } from "./database.ts";
import { type many, parseRow } from "./rows.ts";

/** `many`, or one that remembers. */
export type ReadRows = typeof many;

/**
 * Reads as `many` does, every time. A row that reads as one of the last answer to that statement is not checked again, and is the
 * same object: whoever compares with what was read before sees at once what was not changed. One that does not parse is not
 * remembered. Of each statement its last answer is kept; for one mesh.
 */
export function rememberRows(): ReadRows {
  const answers = new Map<string, ReadonlyMap<string, unknown>>();
  return async <S extends z.ZodType>(
    db: Queryable,
    row: S,
    sql: string,
    values?: readonly unknown[],
  ): Promise<z.output<S>[]> => {
    const { rows } = await db.query(sql, values);
    const before = answers.get(sql);
    const now = new Map<string, unknown>();
    /** Only what this statement's own schema made is kept under it. */
    const isKept = (value: unknown): value is z.output<S> => value !== undefined;
    const read = rows.map((found): z.output<S> => {
      const text = JSON.stringify(found);
      const known = before?.get(text) ?? now.get(text);
      const parsed = isKept(known) ? known : parseRow(row, found, sql);
      now.set(text, parsed);
      return parsed;
    });
    answers.set(sql, now);
    return read;
  };
}
