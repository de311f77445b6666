import { createHash } from "node:crypto";
import type { Digest, Name } from "../core/names.ts";
import type { BuildPlan, PlannedBuild } from "../decide/plan-builds.ts";
import { holdSources } from "../decide/hold-sources.ts";
import { compareText, listNames } from "../decide/short-names.ts";
import { listAutoDue } from "../store/auto-due.ts";
import { clearCondition, listConditions } from "../store/conditions.ts";
import { recordModulePlans, type ModulePlan } from "../store/module-plans.ts";
import { listBehindSince, listHeldCommits } from "../store/held-sources.ts";
import { readStop } from "../store/stop.ts";
import { listOpenWaves } from "../store/waves.ts";
import { accountForWaves } from "./account-for-waves.ts";
import type { ControlDependencies } from "./control-dependencies.ts";
import type { NextStep, StepPlan, StepRequest } from "./control-types.ts";
import { keptFor } from "./kept-records.ts";
import { loadBuildPlan } from "./load-build-facts.ts";
import { noteLostBuilds } from "./note-lost-builds.ts";
import { noteRepeatedVerdicts } from "./note-repeated-verdicts.ts";
import { withSourceless } from "./with-sourceless.ts";

/**
 * Plans builds from the records, keeps how every module stands, accounts for the wave, and says what comes next: builds
 * that are ready, and one push for everything that policies declare by themselves (R14).
 */
export async function planSteps(deps: ControlDependencies, request: StepRequest): Promise<StepPlan> {
  const runningBuilds = request.running.filter((key) => key.startsWith("build "));
  const running = new Set(runningBuilds.map((key) => key.slice("build ".length)));
  const open = await listOpenWaves(deps.db, deps.mesh);
  await noteLostBuilds(deps, running);
  const now = new Date(deps.nowMs()).toISOString();
  const { facts, plan, modules } = await loadBuildPlan(deps.db, deps.mesh, {
    toolchains: deps.describeToolchains(),
    builders: deps.builders,
    settingsFor: deps.settingsFor,
    running,
    now,
    lostAfterMs: deps.lostAfterMs,
    kept: keptFor(deps.db, deps.mesh),
  });
  const behindSince = await listBehindSince(deps.db, deps.mesh);
  const held = holdSources({ facts, plan, behindSince, starvedAfterMs: deps.starvedAfterMs });
  const whole = withSourceless(plan, modules);
  await recordModulePlans(deps.db, deps.mesh, toModulePlans(whole));
  const builds = orderByAge(plan.ready, behindSince)
    .map((ready): NextStep => ({
      kind: "build",
      key: `build ${ready.module}@${ready.inputs}`,
      module: ready.module,
      inputs: ready.inputs,
      why: ready.why,
    }))
    .filter((step) => !request.done.includes(step.key) && !request.running.includes(step.key));
  const isLast = request.running.length === 0 && builds.length === 0;
  await accountForWaves(deps, { wave: request.wave, open, plan: whole, isLast });
  const push = await planAutoPush(deps, request);
  await clearMendedFailures(deps, request, plan);
  await noteRepeatedVerdicts(deps, plan, now);
  const taken = builds.slice(0, request.room ?? builds.length);
  const steps = push === null ? taken : [...taken, push];
  const lookAgain = held.size === 0 && (await listHeldCommits(deps.db, deps.mesh)).size > 0;
  return { steps, summary: summarise(plan, facts.modules.size), ...(lookAgain ? { lookAgain } : {}) };
}

/** Who waits longest is built first, so that no name is always the last. */
function orderByAge(ready: readonly PlannedBuild[], behindSince: ReadonlyMap<Name, string>): PlannedBuild[] {
  const sinceOf = (build: PlannedBuild): string => behindSince.get(build.module) ?? "9";
  return ready.toSorted((a, b) => compareText(sinceOf(a), sinceOf(b)) || compareText(a.module, b.module));
}

/**
 * A step that failed is said for as long as it is to be taken: a build that is judged or wanted no more is over, and so
 * is a push for builds that are declared. Which push that is, is known when none is left.
 */
async function clearMendedFailures(deps: ControlDependencies, request: StepRequest, plan: BuildPlan): Promise<void> {
  const failures = (await listConditions(deps.db, deps.mesh)).filter((one) => one.code === "step-failed");
  if (failures.length === 0) return;
  const wanted = new Set(
    [...plan.ready, ...plan.building, ...plan.outstanding].map((one) => `build ${one.module}@${one.inputs}`),
  );
  const push = await planAutoPush(deps, { ...request, running: [], done: [] });
  for (const { code, subject } of failures)
    if (!wanted.has(subject) && subject !== push?.key) await clearCondition(deps.db, deps.mesh, { code, subject });
}

function toModulePlans(plan: BuildPlan): ModulePlan[] {
  return [
    ...plan.current.map((one): ModulePlan => ({
      module: one.module,
      standing: "current",
      standingWhy: "",
      wantedInputs: one.inputs,
      fit: { inputs: one.inputs, artifact: one.artifact },
    })),
    ...plan.ready.map((one) => standing(one.module, "out-of-date", one.why, one.inputs)),
    ...plan.building.map((one) => standing(one.module, "building", one.why, one.inputs)),
    ...plan.waiting.map((one) => standing(one.module, "waiting", one.why, null)),
    ...plan.unfit.map((one) => standing(one.module, "unfit", one.why, one.inputs)),
    ...plan.outstanding.map((one) => standing(one.module, "outstanding", one.why, one.inputs)),
    ...plan.broken.map((one) => standing(one.module, "broken", one.why, null)),
    ...plan.cannotTell.map((one) => standing(one.module, "cannot-tell", one.why, null)),
  ];
}

function standing(module: Name, word: ModulePlan["standing"], why: string, inputs: Digest | null): ModulePlan {
  return { module, standing: word, standingWhy: why, wantedInputs: inputs, fit: null };
}

/** One push for everything that policies declare by themselves; null: nothing is due. */
async function planAutoPush(deps: ControlDependencies, request: StepRequest): Promise<NextStep | null> {
  // One at a time: what becomes fit meanwhile goes into the next.
  if (request.running.some((key) => key.startsWith("push "))) return null;
  // Nothing could be numbered: a push would only end with that, and the next look would begin another one (R35).
  if ((await readStop(deps.db, deps.mesh)) !== null) return null;
  const due = await listAutoDue(deps.db, deps.mesh);
  if (due.length === 0) return null;
  const text = due.map((one) => `${one.node} ${one.module} ${one.artifact}`).join("\n");
  const key = `push ${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
  // Tried in this round already, and still due: something keeps it back, which status says. The next wake tries again.
  if (request.done.includes(key)) return null;
  const modules = [...new Set(due.map((one) => one.module))];
  const nodes = [...new Set(due.map((one) => one.node))];
  const stamp = new Date(deps.nowMs()).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return {
    kind: "push",
    key,
    push: `auto-${stamp}-${deps.makeSuffix()}`,
    nodes,
    modules,
    // A toolchain that moved makes hundreds of them fit at once: a reason stays a sentence.
    why: `${listNames(modules)} became fit, and ${modules.length === 1 ? "its policy is" : "their policies are"} auto`,
  };
}

function summarise(plan: BuildPlan, modules: number): string {
  const named = (word: string, rows: readonly { readonly module: Name }[]): string[] =>
    rows.length === 0
      ? []
      : [
          `${word}: ${rows
            .map((one) => one.module)
            .slice(0, 5)
            .join(", ")}`,
        ];
  const counts = [
    `${plan.current.length} of ${modules} modules current`,
    ...(plan.ready.length + plan.building.length > 0 ? [`${plan.ready.length + plan.building.length} building`] : []),
    ...(plan.waiting.length > 0 ? [`${plan.waiting.length} waiting`] : []),
    ...named("unfit", plan.unfit),
    ...named("outstanding", plan.outstanding),
    ...named("broken", plan.broken),
    ...named("cannot tell", plan.cannotTell),
  ];
  return counts.join(" · ");
}
