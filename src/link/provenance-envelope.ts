import { canonicalJson } from "../core/canonical.ts";
import { InputError } from "../core/errors.ts";
import { statementSchema, type Statement } from "../core/provenance.ts";
import { openEnvelope, signEnvelope, type EnvelopeRefusal } from "./envelope.ts";
import type { SigningKey } from "./keys.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { parseBody } from "./parse-body.ts";
import { keysAt, type Root } from "./root.ts";

/** Throws InputError when the result would be more than a reader takes. */
export function sealProvenance(statement: Statement, key: SigningKey, limits: LinkLimits = defaultLinkLimits): Buffer {
  const bytes = signEnvelope("provenance", Buffer.from(canonicalJson(statement), "utf8"), [key]);
  if (bytes.byteLength > limits.envelopeBytes)
    throw new InputError(`the statement is ${bytes.byteLength} bytes, at most ${limits.envelopeBytes} are read`);
  return bytes;
}

/**
 * The statement, where a key of the role `provenance` signed it that was valid at `keptAtMs`: when our own records say
 * that it was kept, not when it says so itself, so that a key which has ended cannot date itself back.
 */
export function openProvenance(
  bytes: Uint8Array,
  options: { readonly root: Root; readonly keptAtMs: number; readonly limits?: LinkLimits },
): { readonly ok: true; readonly statement: Statement; readonly keyIds: readonly string[] } | EnvelopeRefusal {
  const { root, limits = defaultLinkLimits } = options;
  const opened = openEnvelope(bytes, {
    kind: "provenance",
    keys: root.keys.map(({ publicKey }) => publicKey),
    limits,
  });
  if (!opened.ok) return opened;
  const keys = keysAt(root, "provenance", options.keptAtMs);
  const signedBy = opened.keyIds.filter((keyId) => keys.whyNot(keyId) === null);
  if (signedBy.length === 0) return { ok: false, check: "key", message: opened.keyIds.map(keys.whyNot).join("; ") };
  const parsed = parseBody(opened.body, statementSchema, limits);
  return parsed.ok ? { ok: true, statement: parsed.value, keyIds: signedBy } : parsed;
}
