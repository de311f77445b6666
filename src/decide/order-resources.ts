import type { Resource } from "../core/resource.ts";

export type OrderedResources =
  | { readonly kind: "ordered"; readonly resources: readonly Resource[] }
  | { readonly kind: "refused"; readonly message: string };

/**
 * The order in which a host applies: what comes first, first; equals by id. A presence counts for the order, because
 * its service must be started for the waiting one ever to start. Refused: a cycle (named), an `after` that is not there,
 * an id twice.
 */
export function orderResources(resources: readonly Resource[]): OrderedResources {
  const waiting = new Map(resources.map((resource) => [resource.id, resource]));
  if (waiting.size < resources.length) return { kind: "refused", message: "a resource id is there twice" };
  for (const { id, after } of resources) {
    const absent = after.find((first) => !waiting.has(first));
    if (absent !== undefined) return { kind: "refused", message: `${id} comes after ${absent}, which is not there` };
  }
  const ordered: Resource[] = [];
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter((resource) => firstOf(resource).every((id) => !waiting.has(id)));
    if (free.length === 0) return { kind: "refused", message: nameCycle(waiting) };
    for (const resource of free.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      ordered.push(resource);
      waiting.delete(resource.id);
    }
  }
  return { kind: "ordered", resources: ordered };
}

function firstOf(resource: Resource): string[] {
  if (resource.kind !== "service") return resource.after;
  return [...resource.after, ...resource.presence.map((presence) => presence.service)];
}

/** Everything left waits for something left: walking along meets itself. */
function nameCycle(waiting: ReadonlyMap<string, Resource>): string {
  const path: string[] = [];
  let at = [...waiting.keys()].toSorted()[0] ?? "";
  while (!path.includes(at)) {
    path.push(at);
    const resource = waiting.get(at);
    at = (resource === undefined ? [] : firstOf(resource)).find((id) => waiting.has(id)) ?? at;
  }
  return `resources wait for each other: ${[...path.slice(path.indexOf(at)), at].join(" → ")}`;
}
