import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { ControlActivities } from "../activities/control.ts";
import { controlQueue } from "../decide/ids.ts";
import type { ReconcileInput, Wake } from "./messages.ts";
import { rootMessage, runReconcileRound } from "./reconcile-round.ts";

export const wakeSignal = defineSignal<[Wake]>("wake");

/**
 * The mesh's one long-lived loop: sleeps until somebody says *go and look*, or the safety interval; looks, builds the
 * difference, sends what policies say, and sleeps again. Children of a round are awaited before continue-as-new,
 * which would end them.
 */
export async function reconcile(input: ReconcileInput): Promise<void> {
  const pending = new Set<string>(input.pending.map((wake) => wake.why));
  setHandler(wakeSignal, (wake) => {
    pending.add(wake.why);
  });
  let rounds = 0;
  while (rounds < input.roundsPerRun && !workflowInfo().continueAsNewSuggested) {
    setCurrentDetails("Asleep until a source moves, something falls due, or somebody asks.");
    await condition(() => pending.size > 0, input.safetyIntervalMs, { summary: "looks by itself after this" });
    await runRoundOrNote(input.mesh, pending);
    rounds += 1;
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof reconcile>({ ...input, pending: [...pending].map((why) => ({ why })) });
}

/** A look that fails for good, e.g. at an address that is refused, is said and ends its round; the loop goes on. */
async function runRoundOrNote(mesh: string, pending: Set<string>): Promise<void> {
  try {
    await runReconcileRound(mesh, pending);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    const { noteFailedStep } = proxyActivities<ControlActivities>({
      taskQueue: controlQueue(mesh),
      startToCloseTimeout: "1 minute",
    });
    await noteFailedStep({ mesh, key: "look", message: rootMessage(error) });
  }
}
