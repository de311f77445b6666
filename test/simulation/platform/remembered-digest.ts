import type { CanonicalValue } from "../../../src/core/canonical.ts";
import type { Digest } from "../../../src/core/names.ts";
import { digestValue as digestAfresh, measureValue as measureAfresh } from "../../../src/decide/digest.ts";

const measures = new WeakMap<object, ReturnType<typeof measureAfresh>>();

/** Nothing in a run changes a value that it has composed or received. */
export function measureValue(value: CanonicalValue): ReturnType<typeof measureAfresh> {
  if (typeof value !== "object" || value === null) return measureAfresh(value);
  const known = measures.get(value) ?? measureAfresh(value);
  measures.set(value, known);
  return known;
}

export function digestValue(value: CanonicalValue): Digest {
  if (typeof value !== "object" || value === null) return digestAfresh(value);
  return measureValue(value).digest;
}
