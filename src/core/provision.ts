import { z } from "zod";
import { provisionKindSchema } from "./manifest.ts";
import { nameSchema } from "./names.ts";

/** One requirement of one module on one node: what a provision is for. */
export const consumerSchema = z.strictObject({ node: nameSchema, module: nameSchema, requirement: nameSchema });
export type Consumer = z.infer<typeof consumerSchema>;

/** What a provider makes for one consumer. `id` names the pair; every re-issue raises `version`. */
export const provisionSchema = z.strictObject({
  /** `<consumer node>.<module>.<requirement>.<consumer incarnation>@<provider node>.<module>.<provider incarnation>` */
  id: z.string().max(400),
  version: z.number().int().positive(),
  kind: provisionKindSchema,
  consumer: consumerSchema,
  provider: z.strictObject({ node: nameSchema, module: nameSchema, incarnation: z.string() }),
  /** Database or vhost, and user. */
  name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
  /** `issued`: on the grant list. `owed`: withdrawn, the provider has not confirmed yet (R20). */
  state: z.enum(["issued", "owed", "withdrawn"]),
});
export type Provision = z.infer<typeof provisionSchema>;
