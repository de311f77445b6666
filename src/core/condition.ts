import { z } from "zod";
import { timestampSchema } from "./names.ts";

/** Something that is not as it should be, with a beginning, a count and what to do (R33). */
export const conditionSchema = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9-]{1,62}$/),
  subject: z.string().max(300),
  message: z.string().max(2000),
  remedy: z.string().max(500),
  urgent: z.boolean(),
  since: timestampSchema,
  lastSeen: timestampSchema,
  count: z.number().int().positive(),
});
export type Condition = z.infer<typeof conditionSchema>;
