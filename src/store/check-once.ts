import type { z } from "zod";

/** A record is not as it should be. Says which kind of value, never the value. */
export class RecordError extends Error {
  override readonly name = "RecordError";
  constructor(what: string, options?: ErrorOptions) {
    super(`a record does not read as it should (${what})`, options);
  }
}

/**
 * A check that asks the schema once for each different value, and hands out the value that it saw first: rows of one
 * mesh say the same names, ids and digests again and again, and zod takes longer for one than looking it up does. RecordError
 * with `what`, where one does not pass.
 */
export function checkOnce<S extends z.ZodType>(what: string, schema: S): (value: unknown) => z.output<S> {
  const seen = new Map<unknown, z.output<S>>();
  return (value) => {
    const known = seen.get(value);
    if (known !== undefined) return known;
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const issues = parsed.error.issues.map(({ message }) => message).join("; ");
      throw new RecordError(`${what}: ${issues}`, { cause: parsed.error });
    }
    seen.set(value, parsed.data);
    return parsed.data;
  };
}

/** The same of a column that may be null. */
export function orNull<T>(check: (value: unknown) => T): (value: unknown) => T | null {
  return (value) => (value === null ? null : check(value));
}
