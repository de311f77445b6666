import { hash } from "node:crypto";
import { canonicalJson, type CanonicalValue } from "../core/canonical.ts";
import type { Digest } from "../core/names.ts";

/** `sha256:<hex>` of the canonical JSON of a value. */
export function digestValue(value: CanonicalValue): Digest {
  return `sha256:${hash("sha256", canonicalJson(value), "hex")}`;
}
