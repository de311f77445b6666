import { InputError } from "../core/errors.ts";
import { openEnvelope, signEnvelope } from "./envelope.ts";
import type { SigningKey } from "./keys.ts";
import { defaultLinkLimits } from "./limits.ts";
import { parseSignedJson } from "./parse-signed-json.ts";

/**
 * The same declaration without its epoch, for a host that does not speak ordering (R37): it would not know what to do with
 * it. A host that keeps order refuses this one by its schema. Only what a key of our own has signed is signed again.
 * Throws InputError where none of ours has.
 */
export function dropEpoch(
  envelope: Uint8Array,
  { own, by }: { readonly own: readonly SigningKey[]; readonly by: SigningKey },
): Uint8Array {
  const opened = openEnvelope(envelope, { kind: "declaration", keys: own.map(({ publicKey }) => publicKey) });
  if (!opened.ok) throw new InputError(`a declaration that no key of this controller has signed: ${opened.message}`);
  const { envelopeBytes: bytes, depth } = defaultLinkLimits;
  const json = parseSignedJson(opened.body, { bytes, depth });
  if (!json.ok || typeof json.value !== "object" || json.value === null)
    throw new InputError(`what this controller has signed is no declaration: ${json.ok ? "no object" : json.message}`);
  const body = Object.fromEntries(Object.entries(json.value).filter(([member]) => member !== "epoch"));
  return signEnvelope("declaration", Buffer.from(JSON.stringify(body), "utf8"), [by]);
}
