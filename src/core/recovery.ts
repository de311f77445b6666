import { z } from "zod";
import { orderSchema } from "./declaration.ts";
import { nameSchema } from "./names.ts";

/** As `Date#toISOString` prints it, and no other way. */
const momentSchema = z.iso.datetime({ precision: 3 });

/**
 * Puts one host's mark back to a lower order, after a jump or a stolen declaration key. Signed by root keys, offline, and
 * carried by hand. Strict: it lowers the fence of a host, and nothing in it is guessed.
 */
export const recoverySchema = z.strictObject({
  schema: z.literal(1),
  mesh: nameSchema,
  node: nameSchema,
  /** Fingerprint of the host key the node enrolled with: a re-created node is another node. */
  incarnation: z.string().min(1).max(200),
  /** The mark that the host has. With it gone the document is good for nothing. */
  replaces: orderSchema,
  /** The mark that it gets: it takes what is above it. */
  to: orderSchema,
  issuedAt: momentSchema,
  expiresAt: momentSchema,
});
export type Recovery = z.infer<typeof recoverySchema>;
