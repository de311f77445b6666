import type { Closure } from "../core/artifact.ts";
import type { Name } from "../core/names.ts";
import type { BuildFacts, ModuleFacts } from "./build-facts.ts";
import { explainBuild, explainOwn } from "./explain-build.ts";
import { explainMove, type Explaining, findMoved, sayCommits } from "./explain-move.ts";
import { placeInOrder } from "./place-in-order.ts";
import { createPlanMemory, type PlanMemory } from "./plan-memory.ts";
import { planBuilds, type BuildPlan, type PlannedBuild } from "./plan-builds.ts";
import { sayEdge } from "./say-edge.ts";

export interface Announced {
  readonly module: Name;
  /** A sentence; for what is only reached, what moved first and the imports from there. */
  readonly why: string;
}

export interface RebuildOptions {
  readonly plan?: BuildPlan;
  /** ISO: ages of commits are said as of then; left out, no ages are said, because the sentence is kept. */
  readonly saidAt?: string;
  readonly memory?: PlanMemory;
}

/** More steps of a chain than this are counted, not listed. */
const edgesSaid = 8;

/**
 * The most that may be rebuilt: what is out of date, and all that is reached over inbound edges; early cutoff makes it
 * less (R10). Edges as they are and as they were: whoever was built against a module is asked too. In build order (R9).
 */
export function rebuildSet(facts: BuildFacts, options: RebuildOptions = {}): Announced[] {
  const memory = options.memory ?? createPlanMemory();
  const plan = options.plan ?? planBuilds(facts, memory);
  const causes = listOutOfDate({ ...facts, now: options.saidAt ?? null }, facts, plan);
  const inbound = memory.inboundOf(facts.modules);
  const reached = [...causes.keys()];
  for (const module of reached) {
    const cause = causes.get(module);
    if (cause === undefined) continue;
    for (const dependent of inbound.get(module) ?? []) {
      if (causes.has(dependent)) continue;
      const asked = facts.modules.get(dependent);
      if (asked === undefined) continue;
      const next = addStep(cause, sayEdge(asked, module));
      causes.set(dependent, { ...next, why: `${dependent} may be out of date: ${next.chain}${sayRest(next.steps)}` });
      reached.push(dependent);
    }
  }
  const unbuildable = new Set([...plan.broken, ...plan.cannotTell].map((row) => row.module));
  const announced: Announced[] = [];
  for (const module of inOrder([...causes.keys()], plan.order)) {
    const cause = causes.get(module);
    if (cause !== undefined && !unbuildable.has(module)) announced.push({ module, why: cause.why });
  }
  return announced;
}

/** Of few nobody goes through the whole order. */
function inOrder(names: readonly Name[], order: readonly Name[]): readonly Name[] {
  if (names.length * 8 > order.length) return order;
  const places = placeInOrder(order);
  const placeOf = (name: Name): number => places.get(name) ?? Number.MAX_SAFE_INTEGER;
  return names.filter((name) => places.has(name)).toSorted((a, b) => placeOf(a) - placeOf(b));
}

function addStep({ chain, steps }: Cause, edge: string): Pick<Cause, "chain" | "steps"> {
  return { chain: steps < edgesSaid ? `${chain}; ${edge}` : chain, steps: steps + 1 };
}

function sayRest(steps: number): string {
  return steps > edgesSaid ? `; and ${steps - edgesSaid} more steps` : "";
}

/** Why a module is in the set: what moved first, and the imports that lead from there to it. */
interface Cause {
  /** As far as it is said. */
  readonly chain: string;
  readonly steps: number;
  readonly why: string;
}

/** What is built now, what is under way, and what would be if it did not wait. */
function listOutOfDate(explaining: Explaining, facts: BuildFacts, plan: BuildPlan): Map<Name, Cause> {
  const causes = new Map<Name, Cause>();
  const add = (module: Name, root: string, why: string): void =>
    void causes.set(module, { chain: root, steps: 0, why });
  for (const ready of plan.ready) {
    const own = facts.modules.get(ready.module);
    const why = own === undefined ? ready.why : explainReady(explaining, own, ready);
    add(ready.module, sayMoved(explaining, ready.module, ready.closure), why);
  }
  for (const { module, why } of plan.building) add(module, sayMoved(explaining, module, null), why);
  for (const { module, why } of plan.waiting) {
    const own = facts.modules.get(module);
    if (own === undefined) continue;
    const moved = explainOwn(own, nowOf(facts, own), explaining.now);
    if (own.lastFit === null) add(module, `${module} is new`, `${module} was never fit; ${why}`);
    else if (moved.length > 0)
      add(module, sayMoved(explaining, module, null), `${module} is out of date: ${moved.join("; ")}; ${why}`);
  }
  return causes;
}

function nowOf(facts: BuildFacts, own: ModuleFacts): Parameters<typeof explainOwn>[1] {
  const { tree, language, thirdParties, settings } = own;
  const toolchain = facts.toolchains[language] ?? "";
  return { tree, language, thirdParties, settings, toolchain, builder: facts.builders[language] ?? "" };
}

/** The reason of a build that is ready, with ages where they are to be said. */
export function explainReady(explaining: Explaining, module: ModuleFacts, ready: PlannedBuild): string {
  if (explaining.now === null) return ready.why;
  return ready.why.replace(explainBuild({ ...explaining, now: null }, module, ready.closure), () =>
    explainBuild(explaining, module, ready.closure),
  );
}

/** What others are told of a module that will be built: by which commit, or by what beneath it. */
function sayMoved(explaining: Explaining, name: Name, closure: Closure | null): string {
  const module = explaining.modules.get(name);
  const last = module?.lastFit ?? null;
  if (module === undefined || last === null) return `${name} is new`;
  if (last.closure.tree !== module.tree) return `${name} moved (${sayCommits(last, module, explaining.now)})`;
  const beneath = closure === null ? null : findMoved(last.closure, closure);
  return beneath === null ? `${name} may move` : explainMove(explaining, module, beneath);
}
