import type { Name } from "../core/names.ts";
import type { BuildEdge, BuildFacts, ModuleFacts } from "./build-facts.ts";
import { findCycle } from "./find-cycle.ts";
import { compareText } from "./short-names.ts";
import { strongComponents } from "./strong-components.ts";

export interface BuildGraph {
  /** Every module, by name. */
  readonly names: readonly Name[];
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
  /** Modules that have such an edge. */
  readonly hasBackEdge: ReadonlySet<Name>;
  /** `dependenciesOf` every module, worked out once. */
  readonly dependencies: ReadonlyMap<Name, readonly Name[]>;
}

/** The order of the modules by what they import, and where there is none. */
export function buildGraph({ modules }: Pick<BuildFacts, "modules">): BuildGraph {
  const names = [...modules.keys()].toSorted(compareText);
  const dependencies = new Map(names.map((name) => [name, dependenciesOf(modules.get(name))]));
  const component = new Map<Name, number>();
  const order: Name[] = [];
  const cycleOf = new Map<Name, readonly Name[]>();
  const cycles: (readonly Name[])[] = [];
  const isTogether = new Set<number>();
  for (const [at, together] of strongComponents(dependencies).entries()) {
    for (const member of together) component.set(member, at);
    if (together.length > 1) isTogether.add(at);
    // A cycle of build edges is one of all edges too: it is looked for only where those go round.
    const parts = together.length === 1 ? [together] : strongComponents(buildEdgesAmong(modules, together));
    for (const members of parts) {
      order.push(...members);
      const cycle = members.length > 1 ? findCycle(buildEdgesAmong(modules, members)) : null;
      if (cycle === null) continue;
      cycles.push(cycle);
      for (const member of members) cycleOf.set(member, cycle);
    }
  }
  cycles.sort((a, b) => a.length - b.length || compareText(a.join(), b.join()));
  const isBackEdge = (module: Name, dependency: Name): boolean =>
    component.get(module) === component.get(dependency) &&
    modules.get(module)?.edges.some((edge) => edge.dependency === dependency && edge.kind === "build") === false;
  const hasBackEdge = new Set<Name>();
  // Only among modules that go round.
  for (const [name, own] of dependencies)
    if (isTogether.has(component.get(name) ?? -1) && own.some((dependency) => isBackEdge(name, dependency)))
      hasBackEdge.add(name);
  return { names, order, cycles, cycleOf, isBackEdge, hasBackEdge, dependencies };
}

/**
 * What a module imports from others, sorted, each once. It may import itself by name: that is no edge. What is only last known
 * is left out: such a module is not built, and where its imports go round by it need not be true.
 */
export function dependenciesOf(
  module: Pick<ModuleFacts, "module" | "edges"> | undefined,
  kind?: BuildEdge["kind"],
): Name[] {
  if (module === undefined) return [];
  const names = new Set<Name>();
  for (const edge of module.edges)
    if (edge.dependency !== module.module && edge.lastKnown !== true && (kind === undefined || edge.kind === kind))
      names.add(edge.dependency);
  return [...names].toSorted(compareText);
}

function buildEdgesAmong(modules: BuildFacts["modules"], members: readonly Name[]): Map<Name, readonly Name[]> {
  const inside = new Set(members);
  return new Map(
    members.map((member) => [member, dependenciesOf(modules.get(member), "build").filter((to) => inside.has(to))]),
  );
}
