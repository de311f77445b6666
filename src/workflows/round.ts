import { CancellationScope, proxyActivities, setCurrentDetails } from "@temporalio/workflow";
import type { DeliverActivities } from "../activities/deliver.ts";
import { deliverQueue } from "../decide/ids.ts";
import { askControl } from "./ask-control.ts";
import type { RoundInput, RoundOutput } from "./messages.ts";

/** Nodes per transaction of the gate: long enough to be cheap, short enough not to hold the mesh. */
const batchSize = 100;

/**
 * One round of a push: tells its targets in batches, then asks whose declaration changed because of it. The batches
 * of one mesh queue at the gate anyway, so they are sent one after another.
 */
export async function round(input: RoundInput): Promise<RoundOutput> {
  const { tell } = proxyActivities<DeliverActivities>({
    taskQueue: deliverQueue(input.mesh),
    startToCloseTimeout: "2 minutes",
    scheduleToCloseTimeout: "7 days",
    heartbeatTimeout: "30 seconds",
    retry: { initialInterval: "500 milliseconds", backoffCoefficient: 2, maximumInterval: "30 seconds" },
    summary: `tell ${input.targets} ${input.targets === 1 ? "node" : "nodes"}: number, compose, sign, record`,
  });
  let sent = 0;
  for (let from = 0; from < input.targets; from += batchSize) {
    const batch = {
      mesh: input.mesh,
      push: input.push,
      round: input.round,
      from,
      count: batchSize,
      confirmRemoval: input.confirmRemoval,
    };
    // A cancelled push leaves no batch half told: what was begun is ended.
    const told = await CancellationScope.nonCancellable(() => tell(batch));
    sent += told.sent;
  }
  const changed = await askControl(input.mesh, "compare every machine with what it should have been").findChanged({
    mesh: input.mesh,
    push: input.push,
    round: input.round,
  });
  const result: RoundOutput = {
    sent,
    changed: changed.count,
    firstNames: changed.firstNames,
    summary: changed.summary,
  };
  setCurrentDetails(`Sent ${sent} of ${input.targets}. Changed because of this push: ${changed.count}.`);
  return result;
}
