import type { CanonicalValue } from "../../../src/core/canonical.ts";
import type { Digest } from "../../../src/core/names.ts";
import { digestValue as digestAfresh } from "../../../src/decide/digest.ts";

const digests = new WeakMap<object, Digest>();

/** Nothing in a run changes a value that it has composed or received. */
export function digestValue(value: CanonicalValue): Digest {
  if (typeof value !== "object" || value === null) return digestAfresh(value);
  const known = digests.get(value) ?? digestAfresh(value);
  digests.set(value, known);
  return known;
}
