import { InputError } from "../core/errors.ts";
import { recoverySchema, type Recovery } from "../core/recovery.ts";
import { whyUnusable } from "../decide/judge-reset.ts";
import { addSignature, findSigners, readUnverifiedBody, signEnvelope, type EnvelopeRefusal } from "./envelope.ts";
import type { SigningKey } from "./keys.ts";
import { rootBytesLimit, type LinkLimits } from "./limits.ts";
import { parseBody } from "./parse-body.ts";
import { keysAt, openByRootKeys, whyExpired, type Root } from "./root.ts";

/** As many signatures as a root has, around a few words. */
const recoveryLinkLimits: LinkLimits = { envelopeBytes: rootBytesLimit, depth: 4 };

/** The document, signed by nobody yet or by those given. Throws InputError for one that every host would refuse. */
export function writeRecovery(recovery: Recovery, signers: readonly SigningKey[] = []): Buffer {
  const why = whyUnusable(recovery);
  if (why !== null) throw new InputError(`hosts would refuse this document: ${why.message}`);
  return signEnvelope("recovery", Buffer.from(JSON.stringify(recovery), "utf8"), signers);
}

/** One on its way from one holder of a root key to the next. `signedBy`: ids of root keys that may sign it now, and did. */
export function readRecoveryDraft(
  bytes: Uint8Array,
  root: Root,
  nowMs: number,
): { readonly recovery: Recovery; readonly signedBy: readonly string[] } {
  const { read, recovery } = readParts(bytes);
  return { recovery, signedBy: findSigners(read.envelope, read.body, keysAt(root, "root", nowMs).valid) };
}

/** With this key's signature; the same bytes where it has signed already. */
export function signRecovery(bytes: Uint8Array, key: SigningKey): Buffer {
  const { read } = readParts(bytes);
  if (findSigners(read.envelope, read.body, [key.publicKey]).length > 0) return Buffer.from(bytes);
  return addSignature("recovery", read, key);
}

/** What a host reads: enough root keys of the root that it has signed it, each valid now. Nothing of it is judged here. */
export function openRecovery(
  bytes: Uint8Array,
  { root, nowMs }: { readonly root: Root; readonly nowMs: number },
): { readonly ok: true; readonly recovery: Recovery; readonly keyIds: readonly string[] } | EnvelopeRefusal {
  const expired = whyExpired(root, nowMs);
  if (expired !== null) return { ok: false, check: "key", message: expired };
  const opened = openByRootKeys(bytes, { root, kind: "recovery", nowMs, limits: recoveryLinkLimits });
  if (!opened.ok) return opened;
  const parsed = parseBody(opened.body, recoverySchema, recoveryLinkLimits);
  return parsed.ok ? { ok: true, recovery: parsed.value, keyIds: opened.keyIds } : parsed;
}

function readParts(bytes: Uint8Array) {
  const read = readUnverifiedBody(bytes, "recovery", recoveryLinkLimits, "taken");
  if (!read.ok) throw bad(read.message);
  const parsed = parseBody(read.body, recoverySchema, recoveryLinkLimits);
  if (!parsed.ok) throw bad(parsed.message);
  const why = whyUnusable(parsed.value);
  if (why !== null) throw bad(why.message);
  return { read, recovery: parsed.value };
}

function bad(why: string): InputError {
  return new InputError(`this is no recovery document: ${why}`, "`mesh keys recovery` writes one.");
}
