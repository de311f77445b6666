import { hash } from "node:crypto";
import { canonicalJson, type CanonicalValue } from "../core/canonical.ts";
import type { Digest } from "../core/names.ts";

/** The digest of a value, and the bytes of its canonical JSON in UTF-8: as many as it has in any JSON without white space. */
export function measureValue(value: CanonicalValue): { readonly digest: Digest; readonly bytes: number } {
  const text = canonicalJson(value);
  return { digest: digestText(text), bytes: Buffer.byteLength(text) };
}

/** `sha256:<hex>` of the canonical JSON of a value. */
export function digestValue(value: CanonicalValue): Digest {
  return digestText(canonicalJson(value));
}

function digestText(text: string): Digest {
  return `sha256:${hash("sha256", text, "hex")}`;
}
