import { Context } from "@temporalio/activity";
import { observeCondition } from "../store/conditions.ts";
import { endWave } from "../store/waves.ts";
import { forgetDeliveries } from "../store/webhooks.ts";
import { closePush } from "./close-push.ts";
import { compareAll } from "./compare-all.ts";
import type { ControlDependencies } from "./control-dependencies.ts";
import type {
  ChangedNodes,
  ComparisonRequest,
  FailedStep,
  OpenedPush,
  StepPlan,
  StepRequest,
} from "./control-types.ts";
import { findChangedNodes } from "./find-changed-nodes.ts";
import { heartbeatEvery } from "./heartbeat-every.ts";
import { openNewPush, type PushRequest } from "./open-push.ts";
import { noteUnsettled } from "./note-unsettled.ts";
import { planSteps } from "./plan-steps.ts";
import { stopAtBadInput } from "./stop-at-bad-input.ts";
import { pushRequestSchema, readWorkflowInput } from "./workflow-input.ts";

/** Longer than forges deliver one again; a repeated one that was forgotten is one look more. */
const deliveriesKeptMs = 7 * 24 * 3_600_000;

export type ControlActivities = ReturnType<typeof createControlActivities>;

/** Small reads and decisions. Each loads, decides, stores what it decided and returns the next step. */
export function createControlActivities(deps: ControlDependencies) {
  return {
    /** Looks at every source, reads what moved, and announces what may be rebuilt (R7–R9). */
    compareSources: (request: ComparisonRequest): Promise<{ wave: string | null }> =>
      guarded(async () => {
        await forgetDeliveries(deps.db, deps.mesh, deliveriesKeptMs);
        return compareAll(deps, request, Context.current().cancellationSignal);
      }),

    /** What is to be built and pushed next, from the records alone. */
    planNextSteps: (request: StepRequest): Promise<StepPlan> => guarded(() => planSteps(deps, request)),

    closeWave: (request: { mesh: string; wave: string }): Promise<void> =>
      guarded(async () => {
        await endWave(deps.db, deps.mesh, request.wave);
      }),

    async noteFailedStep(step: FailedStep): Promise<void> {
      await observeCondition(deps.db, deps.mesh, {
        code: "step-failed",
        subject: step.key,
        message: step.message,
        remedy: "see the workflow of that name in the Temporal UI; the next look tries it again",
        urgent: false,
      });
    },

    /** Opens the push, keeps the baseline and the targets of round 0. Done again it changes nothing. */
    openPush: (request: PushRequest): Promise<OpenedPush> =>
      guarded(() => openNewPush(deps, readWorkflowInput(pushRequestSchema, deps.mesh, request))),

    /** Whose declaration this push changed: the targets of the next round (R18). */
    findChanged: (request: { mesh: string; push: string; round: number }): Promise<ChangedNodes> =>
      guarded(() => findChangedNodes(deps, request)),

    closePush: (request: { mesh: string; push: string; rounds: number; moving: readonly string[] }) =>
      guarded(async () => {
        const result = await closePush(deps, request);
        await noteUnsettled(deps.db, deps.mesh, result);
        return result;
      }),
  };
}

/** Beats while it acts. */
async function guarded<T>(act: () => Promise<T>): Promise<T> {
  const stopHeartbeat = heartbeatEvery(5_000);
  try {
    return await stopAtBadInput(act);
  } finally {
    stopHeartbeat();
  }
}
