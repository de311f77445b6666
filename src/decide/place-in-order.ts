import type { Name } from "../core/names.ts";
import type { BuildGraph } from "./build-graph.ts";

const places = new WeakMap<readonly Name[], ReadonlyMap<Name, number>>();

/** Where each name stands in a list of names; worked out once for as long as it is that list. */
export function placeInOrder(order: readonly Name[]): ReadonlyMap<Name, number> {
  const known = places.get(order) ?? new Map(order.map((name, at) => [name, at] as const));
  places.set(order, known);
  return known;
}

const dependents = new WeakMap<BuildGraph, ReadonlyMap<Name, readonly Name[]>>();

/** Whose edges lead to a module. */
export function dependentsIn(graph: BuildGraph): ReadonlyMap<Name, readonly Name[]> {
  const known = dependents.get(graph) ?? listDependents(graph);
  dependents.set(graph, known);
  return known;
}

function listDependents({ dependencies }: BuildGraph): Map<Name, Name[]> {
  const found = new Map<Name, Name[]>();
  for (const [name, own] of dependencies)
    for (const dependency of own) {
      const others = found.get(dependency);
      if (others === undefined) found.set(dependency, [name]);
      else others.push(name);
    }
  return found;
}
