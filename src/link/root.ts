import { z } from "zod";
import { nameSchema, timestampSchema } from "../core/names.ts";
import type { EnvelopeRefusal } from "./envelope.ts";
import type { SigningKey } from "./keys.ts";
import type { LinkLimits } from "./limits.ts";

export const rootRoleSchema = z.enum(["root", "declaration"]);
export type RootRole = z.infer<typeof rootRoleSchema>;

export const rootKeySchema = z.object({
  /** Raw Ed25519 in base64. */
  publicKey: z.string().max(100),
  roles: z.array(rootRoleSchema).min(1).max(2),
  notBefore: timestampSchema,
  notAfter: timestampSchema,
});

/** Which keys a mesh's hosts believe, and for what. Pinned at enrolment. */
export const rootSchema = z.object({
  schema: z.literal(1),
  mesh: nameSchema,
  version: z.number().int().positive(),
  /** How many keys of the role `root` must have signed this document. */
  threshold: z.number().int().positive(),
  keys: z.array(rootKeySchema).min(1).max(64),
});
export type Root = z.infer<typeof rootSchema>;

/** Signed root document (DSSE bytes). Throws InputError when `signers` do not satisfy the root's own threshold. */
export function createRoot(_root: Root, _signers: readonly SigningKey[]): Buffer {
  throw new Error("not written yet");
}

/** The document is for this mesh, its keys are usable, and its own root keys reach its threshold. */
export function verifyRoot(
  _bytes: Uint8Array,
  _options: { readonly mesh: string; readonly limits?: LinkLimits },
): { readonly ok: true; readonly root: Root } | EnvelopeRefusal {
  throw new Error("not written yet");
}

export type DeclarationKeys = {
  /** Raw public keys in base64 that may sign declarations now. */
  readonly valid: readonly string[];
  /** Why a key may not sign a declaration now; null: it may. */
  whyNot(publicKey: string): string | null;
};

export function declarationKeysAt(_root: Root, _nowMs: number): DeclarationKeys {
  throw new Error("not written yet");
}
