import type { Closure } from "../core/artifact.ts";
import type { Name } from "../core/names.ts";
import type { BuildFacts, ModuleFacts } from "./build-facts.ts";
import { explainBuild, explainOwn } from "./explain-build.ts";
import { explainMove, type Explaining, findMoved, sayCommits } from "./explain-move.ts";
import { placeInOrder } from "./place-in-order.ts";
import { createPlanMemory, type PlanMemory, type Reached } from "./plan-memory.ts";
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
  const roots = [...causes.keys()];
  const reached = memory.reachedFrom(facts.modules, roots, (inbound) =>
    sortByPlace(spread(facts, roots, inbound), plan.order),
  );
  const unbuildable = new Set([...plan.broken, ...plan.cannotTell].map((row) => row.module));
  const announced: Announced[] = [];
  for (const { module, root, said } of reached) {
    const cause = causes.get(root);
    if (cause === undefined || unbuildable.has(module)) continue;
    const why = said === null ? cause.why : `${module} may be out of date: ${cause.moved}${said}`;
    announced.push({ module, why });
  }
  return announced;
}

/** The roots, and everything that edges lead to from them, each by the first way that is found. */
function spread(
  facts: Pick<BuildFacts, "modules">,
  roots: readonly Name[],
  inbound: ReadonlyMap<Name, ReadonlySet<Name>>,
): Reached[] {
  const reached = roots.map((module) => ({ module, root: module, steps: 0, chain: "" }));
  const known = new Set(roots);
  for (const { module, root, steps, chain } of reached)
    for (const dependent of inbound.get(module) ?? []) {
      const asked = facts.modules.get(dependent);
      if (asked === undefined || known.has(dependent)) continue;
      known.add(dependent);
      const longer = steps < edgesSaid ? `${chain}; ${sayEdge(asked, module)}` : chain;
      reached.push({ module: dependent, root, steps: steps + 1, chain: longer });
    }
  return reached.map(({ module, root, steps, chain }) => ({
    module,
    root,
    said: steps === 0 ? null : `${chain}${sayRest(steps)}`,
  }));
}

/** In build order; what has no place in it is left out. */
function sortByPlace(reached: readonly Reached[], order: readonly Name[]): readonly Reached[] {
  const places = placeInOrder(order);
  const placeOf = ({ module }: Reached): number => places.get(module) ?? 0;
  return reached.filter(({ module }) => places.has(module)).toSorted((a, b) => placeOf(a) - placeOf(b));
}

function sayRest(steps: number): string {
  return steps > edgesSaid ? `; and ${steps - edgesSaid} more steps` : "";
}

/** Why a module is out of date of its own, and how others are told of it. */
interface Cause {
  readonly moved: string;
  readonly why: string;
}

/** What is built now, what is under way, and what would be if it did not wait. */
function listOutOfDate(explaining: Explaining, facts: BuildFacts, plan: BuildPlan): Map<Name, Cause> {
  const causes = new Map<Name, Cause>();
  const add = (module: Name, moved: string, why: string): void => void causes.set(module, { moved, why });
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
