import type { Name } from "../core/names.ts";
import type { BuildPlan } from "../decide/plan-builds.ts";
import { judgeRepeats, repeatedCodes } from "../decide/repeated-verdicts.ts";
import { clearCondition, keepCondition, listConditions } from "../store/conditions.ts";
import { listRecentVerdicts, type RecentVerdict } from "../store/recent-verdicts.ts";
import type { ControlDependencies } from "./control-dependencies.ts";

/** Of each module: enough to see what repeats. */
const buildsLookedAt = 20;

/**
 * Keeps one condition for each module whose builds end the same way again and again, and takes it away as soon as they
 * do not (R33). While the next try runs, what was said before it stays.
 */
export async function noteRepeatedVerdicts(
  deps: Pick<ControlDependencies, "db" | "mesh">,
  plan: BuildPlan,
  now: string,
): Promise<void> {
  const bad = [...plan.unfit, ...plan.outstanding].map((one) => one.module);
  const underWay = new Set([...plan.ready, ...plan.building].map((one) => one.module));
  const said = (await listConditions(deps.db, deps.mesh)).filter((one) => repeatedCodes.includes(one.code));
  if (bad.length === 0 && said.length === 0) return;
  const histories = await readHistories(deps, bad);
  const holding = new Set<string>();
  for (const module of bad) {
    const repeated = judgeRepeats(module, histories.get(module) ?? [], now);
    if (repeated === null) continue;
    holding.add(`${repeated.code} ${module}`);
    await keepCondition(deps.db, deps.mesh, repeated);
  }
  for (const { code, subject } of said)
    if (!holding.has(`${code} ${subject}`) && !underWay.has(subject))
      await clearCondition(deps.db, deps.mesh, { code, subject });
}

async function readHistories(
  deps: Pick<ControlDependencies, "db" | "mesh">,
  modules: readonly Name[],
): Promise<ReadonlyMap<Name, readonly RecentVerdict[]>> {
  const histories = new Map<Name, RecentVerdict[]>();
  if (modules.length === 0) return histories;
  for (const build of await listRecentVerdicts(deps.db, deps.mesh, modules, buildsLookedAt))
    histories.set(build.module, [...(histories.get(build.module) ?? []), build]);
  return histories;
}
