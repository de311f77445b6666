import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { digestSchema, nameSchema, type Name } from "../core/names.ts";

/**
 * What workflows were started with, read where it is first used: whoever reaches Temporal can start one (R41, R42).
 * Members that are not known here are ignored: a newer program may have written them.
 */
const pushIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/, "letters, digits, dots and dashes");
const sentence = z.string().max(4_000);
const roundSchema = z.number().int().min(0).max(100);

export const pushRequestSchema = z.object({
  schema: z.literal(1),
  mesh: nameSchema,
  push: pushIdSchema,
  kind: z.enum(["named", "behind", "all", "auto", "declare"]),
  named: z.array(nameSchema).max(100_000),
  requestedBy: z.string().max(300),
  why: sentence,
  confirmRemoval: z.boolean(),
});

export const tellRequestSchema = z.object({
  mesh: nameSchema,
  push: pushIdSchema,
  round: roundSchema,
  from: z.number().int().nonnegative(),
  count: z.number().int().min(1).max(1_000),
  confirmRemoval: z.boolean(),
});

export const buildRequestSchema = z.object({ mesh: nameSchema, module: nameSchema, inputs: digestSchema });

/** Throws InputError: it does not fit, or is of another mesh than this controller's. */
export function readWorkflowInput<T extends { readonly mesh: Name }>(
  schema: z.ZodType<T>,
  mesh: Name,
  value: unknown,
): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.map(String).join(".").slice(0, 100) ?? "";
    throw new InputError(`what the workflow was started with does not fit: ${where || "all of it"}: ${issue?.message}`);
  }
  if (parsed.data.mesh !== mesh)
    throw new InputError(`the workflow is of mesh ${parsed.data.mesh}, this controller acts for ${mesh}`);
  return parsed.data;
}
