import type { PayloadKind } from "../core/declaration.ts";
import type { RefusalCheck } from "../core/report.ts";
import type { LinkLimits } from "./limits.ts";
import type { SigningKey } from "./keys.ts";

export type EnvelopeRefusal = { readonly ok: false; readonly check: RefusalCheck; readonly message: string };
export type OpenedEnvelope = { readonly ok: true; readonly body: Uint8Array; readonly keyIds: readonly string[] };

/** DSSE pre-authentication encoding of exact bytes. */
export function preAuthenticationEncoding(_payloadType: string, _body: Uint8Array): Buffer {
  throw new Error("not written yet");
}

/** Signs exact bytes with every key given. The result is what is stored, hashed and carried. */
export function signEnvelope(_kind: PayloadKind, _body: Uint8Array, _keys: readonly SigningKey[]): Buffer {
  throw new Error("not written yet");
}

/** `keys`: raw public keys in base64. `threshold`: how many different ones must have signed. */
export function openEnvelope(
  _bytes: Uint8Array,
  _options: {
    readonly kind: PayloadKind;
    readonly keys: readonly string[];
    readonly threshold?: number;
    readonly limits?: LinkLimits;
  },
): OpenedEnvelope | EnvelopeRefusal {
  throw new Error("not written yet");
}
