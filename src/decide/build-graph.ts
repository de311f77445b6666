import type { Name } from "../core/names.ts";
import type { BuildEdge, BuildFacts, ModuleFacts } from "./build-facts.ts";
import { findCycle } from "./find-cycle.ts";
import { compareText } from "./short-names.ts";
import { strongComponents } from "./strong-components.ts";

export interface BuildGraph {
  /** Every module, dependencies first. */
  readonly order: readonly Name[];
  /** Cycles of build edges, the shortest first. */
  readonly cycles: readonly (readonly Name[])[];
  /** The cycle that keeps a module from being built. */
  readonly cycleOf: ReadonlyMap<Name, readonly Name[]>;
  /**
   * A test edge back to what is built against the module itself. It is legal, and cannot be waited for: the module is
   * tested against the last fit build of that dependency. When that one is built anew the module is tested again, and
   * because tests are no part of an artifact its digest stays, and the circle ends there.
   */
  readonly isBackEdge: (module: Name, dependency: Name) => boolean;
}

/** The order of the modules by what they import, and where there is none. */
export function buildGraph({ modules }: Pick<BuildFacts, "modules">): BuildGraph {
  const names = [...modules.keys()].toSorted(compareText);
  const buildEdges = new Map(names.map((name) => [name, dependenciesOf(modules.get(name), "build")]));
  const allEdges = new Map(names.map((name) => [name, dependenciesOf(modules.get(name))]));
  const component = new Map<Name, number>();
  const order: Name[] = [];
  for (const [at, members] of strongComponents(allEdges).entries()) {
    for (const member of members) component.set(member, at);
    order.push(...strongComponents(restrict(buildEdges, members)).flat());
  }
  const cycleOf = new Map<Name, readonly Name[]>();
  const cycles: (readonly Name[])[] = [];
  for (const members of strongComponents(buildEdges)) {
    const cycle = members.length > 1 ? findCycle(restrict(buildEdges, members)) : null;
    if (cycle === null) continue;
    cycles.push(cycle);
    for (const member of members) cycleOf.set(member, cycle);
  }
  cycles.sort((a, b) => a.length - b.length || compareText(a.join(), b.join()));
  const isBackEdge = (module: Name, dependency: Name): boolean =>
    component.get(module) === component.get(dependency) && buildEdges.get(module)?.includes(dependency) === false;
  return { order, cycles, cycleOf, isBackEdge };
}

/** What a module imports from others, sorted, each once. It may import itself by name: that is no edge. */
export function dependenciesOf(module: ModuleFacts | undefined, kind?: BuildEdge["kind"]): Name[] {
  if (module === undefined) return [];
  const edges = module.edges.filter((edge) => edge.dependency !== module.module);
  const wanted = kind === undefined ? edges : edges.filter((edge) => edge.kind === kind);
  return [...new Set(wanted.map((edge) => edge.dependency))].toSorted(compareText);
}

function restrict(edges: ReadonlyMap<Name, readonly Name[]>, members: readonly Name[]): Map<Name, readonly Name[]> {
  const inside = new Set(members);
  return new Map(members.map((member) => [member, (edges.get(member) ?? []).filter((to) => inside.has(to))]));
}
