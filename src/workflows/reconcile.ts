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
import { rootMessage, runReconcileRound, type RoundEnd, type RoundStart } from "./reconcile-round.ts";

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
  let wave = input.wave ?? null;
  while (rounds < input.roundsPerRun && !workflowInfo().continueAsNewSuggested) {
    if (wave === null) {
      setCurrentDetails("Asleep until a source moves, something falls due, or somebody asks.");
      await condition(() => pending.size > 0, input.safetyIntervalMs, { summary: "looks by itself after this" });
    }
    const end = await runRoundOrNote({ mesh: input.mesh, pending, wave, steps: input.stepsPerRun });
    rounds += 1;
    wave = end.goOnWith;
    if (wave !== null) break;
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof reconcile>({ ...input, wave, pending: [...pending].map((why) => ({ why })) });
}

/** A look that fails for good, e.g. at an address that is refused, is said and ends its round; the loop goes on. */
async function runRoundOrNote(round: RoundStart): Promise<RoundEnd> {
  const { mesh } = round;
  try {
    return await runReconcileRound(round);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    const { noteFailedStep } = proxyActivities<ControlActivities>({
      taskQueue: controlQueue(mesh),
      startToCloseTimeout: "1 minute",
    });
    await noteFailedStep({ mesh, key: "look", message: rootMessage(error) });
    return { goOnWith: null };
  }
}
