import { z } from "zod";

/** A bigint: the driver gives text. More than a safe integer is an error, never a rounded number. */
export const bigintColumn = z
  .string()
  .regex(/^-?\d+$/, "not a bigint")
  .transform(Number)
  .refine(Number.isSafeInteger, "not a safe integer");

/** A timestamptz as ISO 8601 in UTC. */
export const timeColumn = z.date().transform((at) => at.toISOString());

/** An age in ms that the database worked out by its own clock: one clock for the whole mesh. */
export const ageColumn = z.number().transform((ms) => Math.max(0, Math.round(ms)));

export const bytesColumn = z.instanceof(Buffer);
