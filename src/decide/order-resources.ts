import type { Resource } from "../core/resource.ts";

export type OrderedResources =
  | { readonly kind: "ordered"; readonly resources: readonly Resource[] }
  | { readonly kind: "refused"; readonly message: string };

/**
 * The order in which a host applies: what comes first, first; equals by id. A presence counts for the order, because
 * its service must be started for the waiting one ever to start. Refused: a cycle (named), an `after` that is not there.
 */
export function orderResources(_resources: readonly Resource[]): OrderedResources {
  throw new Error("not written yet");
}
