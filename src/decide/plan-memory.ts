import type { Closure } from "../core/artifact.ts";
import type { Digest, Name } from "../core/names.ts";
import type { BuildFacts, ModuleFacts } from "./build-facts.ts";
import { buildGraph, dependenciesOf, type BuildGraph } from "./build-graph.ts";
import { digestValue } from "./digest.ts";
import { listDiffering } from "./layered-facts.ts";
import type { BuildPlan } from "./plan-builds.ts";
import { compareText } from "./short-names.ts";
import { type SeenStands, workOutStands } from "./work-out-stands.ts";

/**
 * What a plan worked out, for the next one. Facts are never written to: of the same object it is the same, so a plan that
 * begins with another's memory is the plan that it would be without.
 */
export interface PlanMemory {
  graphOf(modules: BuildFacts["modules"]): BuildGraph;
  /** Everything that depends on a module, by edges as they are and as they were; sorted. */
  inboundOf(modules: BuildFacts["modules"]): ReadonlyMap<Name, ReadonlySet<Name>>;
  /** What is reached from these; of the same roots over the same edges `workOut` is not asked again. */
  reachedFrom(
    modules: BuildFacts["modules"],
    roots: readonly Name[],
    workOut: (inbound: ReadonlyMap<Name, ReadonlySet<Name>>) => readonly Reached[],
  ): readonly Reached[];
  /** `sortOut`: of equal stands it is not asked again, and the plan is the same object. */
  planOf(
    facts: BuildFacts,
    graph: BuildGraph,
    sortOut: (graph: BuildGraph, stands: SeenStands["stands"], before: PlanBefore | null) => BuildPlan,
  ): BuildPlan;
  /** `closure` is that of `module`, and its inputs. The same object again where it is equal. */
  inputsOf(module: ModuleFacts, closure: Closure): { readonly closure: Closure; readonly inputs: Digest };
}

/** A module that a root reaches over edges; `said`: the imports on the way, as far as they are said. Null: it is the root. */
export interface Reached {
  readonly module: Name;
  readonly root: Name;
  readonly said: string | null;
}

/** A plan, and the modules that stand otherwise since. */
export interface PlanBefore {
  readonly plan: BuildPlan;
  readonly changed: ReadonlySet<Name>;
}

type Seen = Pick<ModuleFacts, "edges" | "lastFit">;

/** Between two plans somebody else may ask: with what is newer than the records, and as they are. */
const plansKept = 2;

export function createPlanMemory(): PlanMemory {
  const inputs = new WeakMap<ModuleFacts, { readonly closure: Closure; readonly inputs: Digest }>();
  const graphOf = keepLast(({ edges }, was) => edges === was.edges, buildGraph);
  const inboundOf = keepLast(
    ({ edges, lastFit }, was) => edges === was.edges && lastFit === was.lastFit,
    ({ modules }) => listInbound({ modules }),
  );
  let plans: readonly { readonly seen: SeenStands; readonly plan: BuildPlan }[] = [];
  let spread: Spread | null = null;
  const memory: PlanMemory = {
    graphOf,
    inboundOf,
    reachedFrom: (modules, roots, workOut) => {
      const inbound = inboundOf(modules);
      const from = roots.join(" ");
      if (spread === null || spread.inbound !== inbound || spread.from !== from)
        spread = { inbound, from, reached: workOut(inbound) };
      return spread.reached;
    },
    planOf: (facts, graph, sortOut) => {
      const last = plans.find(({ seen }) => seen.modules === facts.modules) ?? plans[0];
      const seen = workOutStands(facts, { graph, memory, last: last?.seen ?? null });
      const before = last !== undefined && seen.since?.stands === last.seen.stands ? last.plan : null;
      const changed = seen.since?.names ?? new Set<Name>();
      const plan =
        last?.seen.stands === seen.stands
          ? last.plan
          : sortOut(graph, seen.stands, before === null ? null : { plan: before, changed });
      plans = [{ seen, plan }, ...plans.filter((one) => one !== last)].slice(0, plansKept);
      return plan;
    },
    inputsOf: (module, closure) => {
      const known = inputs.get(module);
      if (known !== undefined && isSameBeside(known.closure, closure)) return known;
      const fresh = { closure, inputs: digestValue(closure) };
      inputs.set(module, fresh);
      return fresh;
    },
  };
  return memory;
}

interface Spread {
  readonly inbound: ReadonlyMap<Name, ReadonlySet<Name>>;
  readonly from: string;
  readonly reached: readonly Reached[];
}

/** The last answer, while every module is what it was. */
function keepLast<T>(
  isSame: (module: Seen, was: Seen) => boolean,
  workOut: (facts: Pick<BuildFacts, "modules">) => T,
): (modules: BuildFacts["modules"]) => T {
  let last: { readonly modules: BuildFacts["modules"]; readonly answer: T } | null = null;
  return (modules) => {
    if (last !== null && last.modules === modules) return last.answer;
    const holds = last !== null && isSameThroughout(modules, last.modules, isSame);
    last = { modules, answer: holds && last !== null ? last.answer : workOut({ modules }) };
    return last.answer;
  };
}

/** Also in the same order: as they are read, they are. */
function isSameThroughout(
  modules: BuildFacts["modules"],
  before: BuildFacts["modules"],
  isSame: (module: Seen, was: Seen) => boolean,
): boolean {
  if (modules.size !== before.size) return false;
  const differing = listDiffering(modules, before);
  if (differing !== null)
    return differing.every((name) => {
      const [module, was] = [modules.get(name), before.get(name)];
      return module !== undefined && was !== undefined && isSame(module, was);
    });
  const others = before.entries();
  for (const [name, module] of modules) {
    const { value } = others.next();
    if (value?.[0] !== name || (value[1] !== module && !isSame(module, value[1]))) return false;
  }
  return true;
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
