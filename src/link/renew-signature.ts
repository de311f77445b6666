import { openEnvelope, signEnvelope } from "./envelope.ts";
import type { SigningKey } from "./keys.ts";
import { declarationKeysAt, type Root } from "./root.ts";

export interface RenewSignature {
  readonly root: Root;
  /** Every declaration key whose private half this controller has, those among them that the root lists no more. */
  readonly own: readonly SigningKey[];
  /** The one that signs now. */
  readonly by: SigningKey;
  readonly nowMs: number;
}

/**
 * A declaration that was signed by one of our own keys which hosts believe no more, signed again: the same body, order
 * and digest. Hosts that were off while the key was rotated could not take it else. Anything that is still good, or that
 * no key of ours has signed, stays as it is: hosts judge it.
 */
export function renewSignature(envelope: Uint8Array, { root, own, by, nowMs }: RenewSignature): Uint8Array {
  const keys = own.map(({ publicKey }) => publicKey);
  const opened = openEnvelope(envelope, { kind: "declaration", keys });
  if (!opened.ok) return envelope;
  const { whyNot } = declarationKeysAt(root, nowMs);
  return opened.keyIds.some((keyId) => whyNot(keyId) === null)
    ? envelope
    : signEnvelope("declaration", opened.body, [by]);
}
