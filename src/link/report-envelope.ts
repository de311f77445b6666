import type { Report } from "../core/report.ts";
import type { EnvelopeRefusal } from "./envelope.ts";
import type { SigningKey } from "./keys.ts";
import type { LinkLimits } from "./limits.ts";

export function sealReport(_report: Report, _key: SigningKey, _limits?: LinkLimits): Buffer {
  throw new Error("not written yet");
}

/** `signKey`: the raw public key (base64) the node enrolled with. */
export function openReport(
  _bytes: Uint8Array,
  _options: { readonly mesh: string; readonly node: string; readonly signKey: string; readonly limits?: LinkLimits },
): { readonly ok: true; readonly report: Report } | EnvelopeRefusal {
  throw new Error("not written yet");
}
