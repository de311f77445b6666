import type { Closure } from "../core/artifact.ts";
import type { Digest, Name } from "../core/names.ts";
import type { BuildFacts, ModuleFacts } from "./build-facts.ts";
import { buildGraph, dependenciesOf, type BuildGraph } from "./build-graph.ts";
import { digestValue } from "./digest.ts";
import { compareText } from "./short-names.ts";

/**
 * What a plan worked out, for the next one. Facts are never written to: of the same object it is the same, so a plan that
 * begins with another's memory is the plan that it would be without.
 */
export interface PlanMemory {
  graphOf(modules: BuildFacts["modules"]): BuildGraph;
  /** Everything that depends on a module, by edges as they are and as they were; sorted. */
  inboundOf(modules: BuildFacts["modules"]): ReadonlyMap<Name, ReadonlySet<Name>>;
  /** `closure` is that of `module`, and its inputs. The same object again where it is equal. */
  inputsOf(module: ModuleFacts, closure: Closure): { readonly closure: Closure; readonly inputs: Digest };
}

type Seen = Pick<ModuleFacts, "edges" | "lastFit">;

export function createPlanMemory(): PlanMemory {
  const inputs = new WeakMap<ModuleFacts, { readonly closure: Closure; readonly inputs: Digest }>();
  const graphOf = keepLast(({ edges }, was) => edges === was.edges, buildGraph);
  const inboundOf = keepLast(
    ({ edges, lastFit }, was) => edges === was.edges && lastFit === was.lastFit,
    ({ modules }) => listInbound({ modules }),
  );
  return {
    graphOf,
    inboundOf,
    inputsOf: (module, closure) => {
      const known = inputs.get(module);
      if (known !== undefined && isSameBeside(known.closure, closure)) return known;
      const fresh = { closure, inputs: digestValue(closure) };
      inputs.set(module, fresh);
      return fresh;
    },
  };
}

/** The last answer, while every module is what it was. */
function keepLast<T>(
  isSame: (module: Seen, was: Seen) => boolean,
  workOut: (facts: Pick<BuildFacts, "modules">) => T,
): (modules: BuildFacts["modules"]) => T {
  let last: { readonly seen: ReadonlyMap<Name, Seen>; readonly answer: T } | null = null;
  return (modules) => {
    const holds = (seen: ReadonlyMap<Name, Seen>): boolean => {
      if (seen.size !== modules.size) return false;
      for (const [name, module] of modules) {
        const was = seen.get(name);
        if (was === undefined || !isSame(module, was)) return false;
      }
      return true;
    };
    if (last === null || !holds(last.seen)) {
      const seen = new Map([...modules].map(([name, { edges, lastFit }]) => [name, { edges, lastFit }]));
      last = { seen, answer: workOut({ modules }) };
    }
    return last.answer;
  };
}

/** Of one module's facts: only what comes from elsewhere can differ. */
function isSameBeside(was: Closure, is: Closure): boolean {
  if (was.toolchain !== is.toolchain || was.builder !== is.builder) return false;
  const names = Object.keys(is.dependencies);
  return (
    names.length === Object.keys(was.dependencies).length &&
    names.every((name) => was.dependencies[name] === is.dependencies[name])
  );
}

export function listInbound({ modules }: Pick<BuildFacts, "modules">): Map<Name, Set<Name>> {
  const inbound = new Map<Name, Set<Name>>();
  for (const name of [...modules.keys()].toSorted(compareText)) {
    const module = modules.get(name);
    const was = Object.keys(module?.lastFit?.closure.dependencies ?? {});
    for (const dependency of [...dependenciesOf(module), ...was]) {
      const dependents = inbound.get(dependency);
      if (dependents === undefined) inbound.set(dependency, new Set([name]));
      else dependents.add(name);
    }
  }
  return inbound;
}
