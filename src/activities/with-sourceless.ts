import type { Name } from "../core/names.ts";
import type { BuildPlan } from "../decide/plan-builds.ts";
import type { ModuleToPlan } from "../store/modules-to-plan.ts";
import type { NewerFacts } from "./look-without-keeping.ts";

type Sourceless = { readonly module: Name; readonly why: string };

/**
 * The plan with the modules that are not in it because there is no tree to build from: the comparison said why. What became
 * of them is not that they are no modules any more (R9), and no answer is shorter for them (R26). `newer`: what was seen of
 * sources since the records were written.
 */
export function withSourceless(
  plan: BuildPlan,
  modules: readonly ModuleToPlan[],
  newer: ReadonlyMap<Name, NewerFacts> = new Map(),
): BuildPlan {
  const broken: Sourceless[] = [];
  const cannotTell: Sourceless[] = [];
  for (const recorded of modules) {
    const { name, tree, problem, unread } = { ...recorded, ...newer.get(recorded.name) };
    if (tree !== null) continue;
    if (unread !== null) cannotTell.push({ module: name, why: unread });
    // Neither: it was not compared yet.
    else if (problem !== null) broken.push({ module: name, why: problem });
  }
  if (broken.length + cannotTell.length === 0) return plan;
  return {
    ...plan,
    broken: [...plan.broken, ...broken.map((one) => ({ ...one, kind: "broken" as const }))],
    cannotTell: [...plan.cannotTell, ...cannotTell.map((one) => ({ ...one, kind: "cannot-tell" as const }))],
  };
}
