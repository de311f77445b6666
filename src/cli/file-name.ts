import { z } from "zod";

/** A path that a person typed: never read as an option, and no NUL in it. */
export const fileNameSchema = z
  .string()
  .min(1)
  .max(4_000)
  .refine((name) => !name.includes("\0"), "it has a NUL in it");
