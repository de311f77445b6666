import { createHash } from "node:crypto";
import { keptFor } from "../../src/activities/kept-records.ts";
import { loadBuildPlan, type BuildSurroundings } from "../../src/activities/load-build-facts.ts";
import { planSteps } from "../../src/activities/plan-steps.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import type { PlannedBuild } from "../../src/decide/plan-builds.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";

/** Gives every module a fit build as the records know it, layer by layer; nothing is compiled. `say`: how many so far. */
export async function judgeAll(
  deps: ControlDependencies,
  commit: string,
  say: (judged: number) => void = () => undefined,
): Promise<void> {
  for (let judged = 0; ;) {
    await planSteps(deps, { mesh: deps.mesh, wave: null, running: [], done: [] });
    const { plan } = await loadBuildPlan(deps.db, deps.mesh, surroundingsOf(deps));
    if (plan.ready.length === 0) return;
    const left = [...plan.ready];
    const judgeNext = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await judgeOne(deps, commit, next);
    };
    await Promise.all(Array.from({ length: 10 }, judgeNext));
    judged += plan.ready.length;
    say(judged);
  }
}

async function judgeOne(deps: ControlDependencies, commit: string, ready: PlannedBuild): Promise<void> {
  const { module, inputs, closure } = ready;
  const claim = await claimBuild(deps.db, deps.mesh, {
    module,
    inputs,
    closure,
    commit,
    claimant: "bench",
    staleMs: 60_000,
  });
  if (claim.kind !== "claimed") throw new Error(`${module} is ${claim.kind}`);
  const artifact = `sha256:${createHash("sha256").update(`${module} ${inputs}`).digest("hex")}`;
  const verdict = { verdict: "fit", artifact } as const;
  await recordVerdict(deps.db, deps.mesh, { module, inputs, attempt: claim.attempt, verdict, logTail: "" });
}

export function surroundingsOf(deps: ControlDependencies): BuildSurroundings {
  const { describeToolchains, builders, settingsFor, lostAfterMs } = deps;
  return {
    toolchains: describeToolchains(),
    builders,
    settingsFor,
    lostAfterMs,
    running: new Set(),
    kept: keptFor(deps.db, deps.mesh),
    now: new Date(deps.nowMs()).toISOString(),
  };
}
