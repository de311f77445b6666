import { z } from "zod";
import type { PayloadKind } from "../core/declaration.ts";
import { InputError } from "../core/errors.ts";
import { nameSchema, timestampSchema } from "../core/names.ts";
import {
  openEnvelope,
  readUnverifiedBody,
  signEnvelope,
  type EnvelopeRefusal,
  type OpenedEnvelope,
} from "./envelope.ts";
import { keyIdOf, type SigningKey } from "./keys.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { parseBody } from "./parse-body.ts";
import { whyBadPublicKey } from "./public-key.ts";

export const rootRoleSchema = z.enum(["root", "declaration", "provenance"]);
export type RootRole = z.infer<typeof rootRoleSchema>;

export const rootKeySchema = z.object({
  /** Raw Ed25519 in base64. */
  publicKey: z.string().max(100),
  roles: z.array(rootRoleSchema).min(1).max(3),
  notBefore: timestampSchema,
  notAfter: timestampSchema,
});
export type RootKey = z.infer<typeof rootKeySchema>;

/** Which keys a mesh's hosts believe, and for what. Pinned at enrolment. */
export const rootSchema = z.object({
  schema: z.literal(1),
  mesh: nameSchema,
  version: z.number().int().positive(),
  /** How many keys of the role `root` must have signed this document. */
  threshold: z.number().int().positive(),
  keys: z.array(rootKeySchema).min(1).max(64),
  /** From here on it must be replaced: nothing is accepted by it any more but its successor. Left out: never. */
  expiresAt: timestampSchema.exactOptional(),
});
export type Root = z.infer<typeof rootSchema>;

/** Signed root document (DSSE bytes). Throws InputError when hosts would refuse it. */
export function createRoot(root: Root, signers: readonly SigningKey[]): Buffer {
  const bytes = signEnvelope("root", Buffer.from(JSON.stringify(root), "utf8"), signers);
  const verified = verifyRoot(bytes, { mesh: root.mesh });
  if (!verified.ok)
    throw new InputError(
      `hosts would refuse root ${root.version} of mesh ${root.mesh}: ${verified.message}`,
      "Sign it with as many of its root keys as its threshold says.",
    );
  return bytes;
}

/**
 * The document is for this mesh, its keys are usable, and its own root keys reach its threshold. That is all a
 * host can ask when it enrols; who it may be from is settled by the connection (the token's authority).
 * Root keys that have expired still count: an expired root must remain replaceable.
 */
export function verifyRoot(
  bytes: Uint8Array,
  options: { /** Left out: of whichever it says. */ readonly mesh?: string; readonly limits?: LinkLimits },
): { readonly ok: true; readonly root: Root } | EnvelopeRefusal {
  const { mesh, limits = defaultLinkLimits } = options;
  const claimed = readClaimedRoot(bytes, limits);
  if (!claimed.ok) return claimed;
  const { root } = claimed;
  if (new Set(root.keys.map(({ publicKey }) => publicKey)).size !== root.keys.length)
    return { ok: false, check: "key", message: "a key is listed twice" };
  for (const { publicKey } of root.keys) {
    const why = whyBadPublicKey(publicKey);
    if (why !== null) return { ok: false, check: "key", message: `${why} (${keyIdOf(publicKey)})` };
  }
  const opened = openEnvelope(bytes, { kind: "root", keys: rootKeysOf(root), threshold: root.threshold, limits });
  if (!opened.ok) return opened;
  if (mesh !== undefined && root.mesh !== mesh)
    return { ok: false, check: "mesh", message: `this is the root of mesh ${root.mesh}, not of ${mesh}` };
  return { ok: true, root };
}

/** Raw public keys in base64 of the role `root`, whatever their dates: an expired root must remain replaceable. */
export function rootKeysOf(root: Root): readonly string[] {
  return root.keys.filter(({ roles }) => roles.includes("root")).map(({ publicKey }) => publicKey);
}

/** Why nothing but its successor is accepted by this root any more; null: it has not expired. */
export function whyExpired(root: Root, nowMs: number): string | null {
  if (root.expiresAt === undefined || nowMs <= Date.parse(root.expiresAt)) return null;
  return `root ${root.version} expired at ${root.expiresAt}`;
}

/**
 * A document that the mesh's root keys sign together, of a kind of its own: by as many different keys of the role
 * `root` as the threshold says, each valid at `nowMs`. A key of another role or another time says so.
 */
export function openByRootKeys(
  bytes: Uint8Array,
  options: {
    readonly root: Root;
    readonly kind: PayloadKind;
    readonly nowMs: number;
    readonly limits?: LinkLimits;
  },
): OpenedEnvelope | EnvelopeRefusal {
  const { root, kind, nowMs, limits = defaultLinkLimits } = options;
  const opened = openEnvelope(bytes, { kind, keys: root.keys.map(({ publicKey }) => publicKey), limits });
  if (!opened.ok) return opened;
  const { whyNot } = keysAt(root, "root", nowMs);
  const keyIds = opened.keyIds.filter((keyId) => whyNot(keyId) === null);
  if (keyIds.length >= root.threshold) return { ...opened, keyIds };
  const refused = opened.keyIds.map(whyNot).filter((why) => why !== null);
  const counted = `${keyIds.length} good signatures of root keys, of ${root.threshold} that are needed`;
  if (keyIds.length === 0) return { ok: false, check: "key", message: refused.join("; ") };
  return { ok: false, check: "signature", message: [counted, ...refused].join("; ") };
}

export type RoleKeys = {
  /** Raw public keys in base64 that may sign in this role now. */
  readonly valid: readonly string[];
  /** Why the key with this id may not sign in this role now; null: it may. */
  readonly whyNot: (keyId: string) => string | null;
};

/** Who may sign in a role at a moment. A key has the roles it is listed with, and no other (R41). */
export function keysAt(root: Root, role: RootRole, nowMs: number): RoleKeys {
  const why = (key: RootKey): string | null => {
    if (!key.roles.includes(role)) return `signed by a key of another role (${key.roles.join(", ")})`;
    if (nowMs > Date.parse(key.notAfter)) return `signed by a key that expired at ${key.notAfter}`;
    if (nowMs < Date.parse(key.notBefore))
      return `signed by a key that is not valid before ${key.notBefore}: is this machine's clock right?`;
    return null;
  };
  return {
    valid: root.keys.filter((key) => why(key) === null).map(({ publicKey }) => publicKey),
    whyNot: (keyId) => {
      const key = root.keys.find(({ publicKey }) => keyIdOf(publicKey) === keyId);
      return key === undefined ? "signed by a key that is not in the root" : why(key);
    },
  };
}

export function declarationKeysAt(root: Root, nowMs: number): RoleKeys {
  return keysAt(root, "declaration", nowMs);
}

/** A root names the keys that sign it, so its body is read once before it is verified, and used for that only. */
function readClaimedRoot(
  bytes: Uint8Array,
  limits: LinkLimits,
): { readonly ok: true; readonly root: Root } | EnvelopeRefusal {
  const claimed = readUnverifiedBody(bytes, "root", limits);
  if (!claimed.ok) return claimed;
  const parsed = parseBody(claimed.body, rootSchema, limits);
  return parsed.ok ? { ok: true, root: parsed.value } : parsed;
}
