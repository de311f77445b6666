import { canonicalJson } from "../../core/canonical.ts";
import type { Resource } from "../../core/resource.ts";

const texts = new WeakMap<Resource, string>();

/**
 * One text for one resource: two are the same when their texts are. A resource is never changed once it was read, so its
 * text is worked out once, not at every pass over everything.
 */
export function textOfResource(resource: Resource): string {
  const known = texts.get(resource) ?? canonicalJson(resource);
  texts.set(resource, known);
  return known;
}
