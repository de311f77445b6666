import { z } from "zod";
import { digestSchema, nameSchema } from "./names.ts";

/** `named`: by name. `behind`: all that `status` calls behind. `all`: the whole mesh. `auto`: a policy's. */
export const pushKindSchema = z.enum(["named", "behind", "all", "auto"]);
export type PushKind = z.infer<typeof pushKindSchema>;

/** What became of one node in one round of a push. */
export const toldSchema = z.strictObject({
  node: nameSchema,
  /** 0 is the named round; 1… are the cascade's. */
  round: z.number().int().nonnegative(),
  outcome: z.enum(["sent", "already-current", "held", "not-worked-out", "needs-confirmation"]),
  /** A sentence: why this node is in this push, or why it was not sent. */
  why: z.string(),
  epoch: z.number().int().positive().nullable(),
  number: z.number().int().positive().nullable(),
  digest: digestSchema.nullable(),
});
export type Told = z.infer<typeof toldSchema>;

export const pushOutcomeSchema = z.enum(["settled", "did-not-settle", "refused", "failed"]);
export type PushOutcome = z.infer<typeof pushOutcomeSchema>;

export const pushResultSchema = z.strictObject({
  push: z.string(),
  outcome: pushOutcomeSchema,
  rounds: z.number().int().nonnegative(),
  /** Counted here, listed by rows: histories stay small. */
  sent: z.number().int().nonnegative(),
  held: z.number().int().nonnegative(),
  notWorkedOut: z.number().int().nonnegative(),
  /** Names of what still moves, when it did not settle (first 50). */
  moving: z.array(nameSchema),
  message: z.string(),
});
export type PushResult = z.infer<typeof pushResultSchema>;
