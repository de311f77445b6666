import type { Name } from "../core/names.ts";
import type { BuildEdge } from "./build-facts.ts";

/**
 * A module's edges where not all of its imports can be read now: what it imported before is not gone, it is not seen. Kept as
 * last known, of modules that there still are. No plan is made of those.
 */
export function keepLastKnown<E extends BuildEdge>(
  now: readonly E[],
  before: readonly E[],
  isModule: (name: Name) => boolean,
): (E | (E & { readonly lastKnown: true }))[] {
  const seen = new Set(now.map(({ dependency }) => dependency));
  const unseen = before.filter(({ dependency }) => !seen.has(dependency) && isModule(dependency));
  return [...now, ...unseen.map((edge) => ({ ...edge, lastKnown: true as const }))];
}
