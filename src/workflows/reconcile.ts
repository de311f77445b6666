import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { ReconcileInput, Wake } from "./messages.ts";
import { runReconcileRound } from "./reconcile-round.ts";

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
    await runReconcileRound(input.mesh, pending);
    rounds += 1;
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof reconcile>({ ...input, pending: [...pending].map((why) => ({ why })) });
}
