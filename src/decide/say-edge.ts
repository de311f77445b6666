import type { Name } from "../core/names.ts";
import type { BuildEdge, ModuleFacts } from "./build-facts.ts";
import { compareText } from "./short-names.ts";

/** `meshboard imports core at src/page.ts:3` */
export function sayEdge(module: Pick<ModuleFacts, "module" | "edges">, dependency: Name): string {
  const edge = findEdge(module.edges, dependency);
  if (edge === null) return `${module.module} was built against ${dependency}`;
  return `${module.module} imports ${dependency} at ${sayPlace(edge)}`;
}

/** A cycle with the import that makes each step of it: `a → b → a (a imports b at src/x.ts:3; b imports a at src/y.ts:1)`. */
export function sayCycle(modules: ReadonlyMap<Name, ModuleFacts>, cycle: readonly Name[]): string {
  const steps = cycle.flatMap((name, at) => {
    const module = modules.get(name);
    const next = cycle[(at + 1) % cycle.length];
    if (module === undefined || next === undefined) return [];
    const types = findEdge(module.edges, next)?.typesOnly === true ? ", types only" : "";
    return [`${sayEdge(module, next)}${types}`];
  });
  return `${[...cycle, ...cycle.slice(0, 1)].join(" → ")} (${steps.join("; ")})`;
}

/** What to do about a cycle in which an import is of types alone (decision 0019); nothing where there is none. */
export function sayTypesOfCycle(modules: ReadonlyMap<Name, ModuleFacts>, cycle: readonly Name[]): string {
  for (const [at, name] of cycle.entries()) {
    const next = cycle[(at + 1) % cycle.length];
    const edge = next === undefined ? null : findEdge(modules.get(name)?.edges ?? [], next);
    if (edge?.typesOnly === true)
      return `: ${name} needs only types of ${next}, and these too come of a build of ${next}; move them to a module that both import`;
  }
  return "";
}

/** `src/page.ts:3`; of a whole file `Cargo.toml`. */
export function sayPlace({ file, line }: Pick<BuildEdge, "file" | "line">): string {
  return line > 0 ? `${file}:${line}` : file;
}

/** The first import of it, build edges before test edges; null: there is none any more. */
export function findEdge(edges: readonly BuildEdge[], dependency: Name): BuildEdge | null {
  let first: BuildEdge | null = null;
  for (const edge of edges)
    if (edge.dependency === dependency && (first === null || comparePlaces(edge, first) < 0)) first = edge;
  return first;
}

function comparePlaces(a: BuildEdge, b: BuildEdge): number {
  return compareText(a.kind, b.kind) || compareText(a.file, b.file) || a.line - b.line;
}
