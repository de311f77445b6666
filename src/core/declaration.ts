import { z } from "zod";
import { digestSchema, nameSchema, timestampSchema } from "./names.ts";
import { resourceSchema } from "./resource.ts";

/** Of a declaration as it travels, signed and in base64: 5,000 resources of a kilobyte each. Hosts refuse more unread. */
export const envelopeBytesLimit = 8 * 1024 * 1024;

/** A declaration's place in the mesh's one order, fenced by the epoch of who issued it (R27). */
export const orderSchema = z.strictObject({
  epoch: z.number().int().positive(),
  number: z.number().int().positive(),
});
export type Order = z.infer<typeof orderSchema>;

/** What a node should be: no clock, number, run id or secret in it (R29). Its digest is what is compared. */
export const contentSchema = z.strictObject({
  node: nameSchema,
  /** The module's artifact on this node. */
  builds: z.record(nameSchema, digestSchema),
  /** Sorted by id. */
  resources: z.array(resourceSchema).max(5000),
});
export type Content = z.infer<typeof contentSchema>;

/** Credentials sealed to this node's key (R46). Opened, it holds node, provision and version again. */
export const sealedBoxSchema = z.strictObject({
  provision: z.string().max(400),
  version: z.number().int().positive(),
  /** base64 of an age file. */
  box: z.string().max(8192),
});
export type SealedBox = z.infer<typeof sealedBoxSchema>;

/** What is inside a sealed box. */
export const secretSchema = z.strictObject({
  node: nameSchema,
  provision: z.string(),
  version: z.number().int().positive(),
  user: z.string(),
  password: z.string(),
});
export type Secret = z.infer<typeof secretSchema>;

export const declarationSchema = z.object({
  schema: z.literal(1),
  mesh: nameSchema,
  node: nameSchema,
  /** Fingerprint of the host key the node enrolled with: a re-created node is another node. */
  incarnation: z.string(),
  epoch: z.number().int().positive(),
  number: z.number().int().positive(),
  issuedAt: timestampSchema,
  staleAfter: timestampSchema,
  digest: digestSchema,
  content: contentSchema,
  sealed: z.array(sealedBoxSchema),
});
export type Declaration = z.infer<typeof declarationSchema>;

/** Payload types: one per kind, so that a report is never taken for a declaration. */
export const payloadTypes = {
  declaration: "application/vnd.mesh.declaration.v1+json",
  report: "application/vnd.mesh.report.v1+json",
  root: "application/vnd.mesh.root.v1+json",
  provenance: "application/vnd.in-toto+json",
  recovery: "application/vnd.mesh.recovery.v1+json",
} as const;
export type PayloadKind = keyof typeof payloadTypes;
