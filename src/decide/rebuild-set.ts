import type { Name } from "../core/names.ts";
import type { BuildFacts, ModuleFacts } from "./build-facts.ts";
import { dependenciesOf } from "./build-graph.ts";
import { explainOwn, sayEdge } from "./explain-build.ts";
import { planBuilds, type BuildPlan } from "./plan-builds.ts";
import { shortId } from "./short-names.ts";

export interface Announced {
  readonly module: Name;
  /** A sentence; for what is only reached, the edge by which. */
  readonly why: string;
}

/**
 * The most that may be rebuilt: what is out of date, and all that is reached over inbound edges; early cutoff makes it
 * less (R10). Edges as they are and as they were: whoever was built against a module is asked too. In build order (R9).
 */
export function rebuildSet(facts: BuildFacts, plan: BuildPlan = planBuilds(facts)): Announced[] {
  const reasons = listOutOfDate(facts, plan);
  const inbound = listInbound(facts);
  const reached = [...reasons.keys()];
  for (const module of reached) {
    for (const dependent of inbound.get(module) ?? []) {
      const asked = facts.modules.get(dependent);
      if (asked === undefined || reasons.has(dependent)) continue;
      const why = `${dependent} may be out of date: ${sayMoved(facts, module)}; ${sayEdge(asked, module)}`;
      reasons.set(dependent, why);
      reached.push(dependent);
    }
  }
  const broken = new Set(plan.broken.map((row) => row.module));
  return plan.order.flatMap((module) => {
    const why = reasons.get(module);
    return why === undefined || broken.has(module) ? [] : [{ module, why }];
  });
}

/** Everything that depends on a module, by edges as they are and as they were. */
export function listInbound({ modules }: Pick<BuildFacts, "modules">): Map<Name, Set<Name>> {
  const inbound = new Map<Name, Set<Name>>();
  for (const module of modules.values()) {
    const was = Object.keys(module.lastFit?.closure.dependencies ?? {});
    for (const dependency of [...dependenciesOf(module), ...was]) {
      inbound.set(dependency, (inbound.get(dependency) ?? new Set()).add(module.module));
    }
  }
  return inbound;
}

/** What is built now, what is under way, and what would be if it did not wait. */
function listOutOfDate(facts: BuildFacts, plan: BuildPlan): Map<Name, string> {
  const reasons = new Map<Name, string>();
  for (const { module, why } of [...plan.ready, ...plan.building]) reasons.set(module, why);
  for (const { module, why } of plan.waiting) {
    const own = facts.modules.get(module);
    if (own === undefined) continue;
    const moved = explainOwn(own, {
      ...own,
      toolchain: facts.toolchains[own.language] ?? "",
      builder: facts.builders[own.language] ?? "",
    });
    if (own.lastFit === null) reasons.set(module, `${module} was never fit; ${why}`);
    else if (moved.length > 0) reasons.set(module, `${module} is out of date: ${moved.join("; ")}; ${why}`);
  }
  return reasons;
}

function sayMoved({ modules }: BuildFacts, name: Name): string {
  const module: ModuleFacts | undefined = modules.get(name);
  const was = module?.lastFit?.commit;
  if (module === undefined || was === undefined) return `${name} is new`;
  if (module.lastFit?.closure.tree === module.tree) return `${name} may move`;
  return `${name} moved (${shortId(was)} → ${shortId(module.commit)})`;
}
