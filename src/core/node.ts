import { z } from "zod";
import { nameSchema } from "./names.ts";
import { configKeyPattern } from "./placeholder.ts";

/** A DNS name or an address under which other nodes reach this one. */
export const addressSchema = z
  .string()
  .max(253)
  .regex(
    /^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*|[0-9a-fA-F:]+)$/,
    "an address is a DNS name, an IPv4 or an IPv6 address",
  );

/** What a host shows when it enrols: its public keys. Raw Ed25519 in base64; an age recipient (X25519). */
export const hostKeysSchema = z.strictObject({
  sign: z.string().max(100),
  seal: z.string().regex(/^age1[0-9a-z]{20,100}$/),
});
export type HostKeys = z.infer<typeof hostKeysSchema>;

/** The module runs on the node, with this configuration. */
export const assignmentSchema = z.strictObject({
  node: nameSchema,
  module: nameSchema,
  config: z.record(z.string().regex(configKeyPattern), z.string().max(4096)),
  /** Requirement name → `module@node`, where more than one provider could satisfy it. */
  providers: z.record(nameSchema, z.string().regex(/^[a-z][a-z0-9-]{0,62}@[a-z][a-z0-9-]{0,62}$/)),
});
export type Assignment = z.infer<typeof assignmentSchema>;
