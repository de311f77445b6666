import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { DeadEpochError, InputError, StoppedError } from "../core/errors.ts";
import { heartbeatEvery } from "./heartbeat-every.ts";
import { readWorkflowInput, tellRequestSchema } from "./workflow-input.ts";
import { tellBatch, type TellDependencies, type TellRequest } from "./tell.ts";

export interface DeliverDependencies extends TellDependencies {
  /** Called after DeadEpochError: this incarnation is over. */
  readonly onDeadEpoch: (error: DeadEpochError) => void;
}

export type DeliverActivities = ReturnType<typeof createDeliverActivities>;

export function createDeliverActivities(deps: DeliverDependencies) {
  return {
    /** `tellBatch`, as an activity that beats. */
    async tell(request: TellRequest): Promise<{ sent: number }> {
      const stopHeartbeat = heartbeatEvery(5_000);
      try {
        const batch = readWorkflowInput(tellRequestSchema, deps.mesh, request);
        return await tellBatch(deps, batch, Context.current().cancellationSignal);
      } catch (error) {
        if (error instanceof DeadEpochError) deps.onDeadEpoch(error);
        // What to do next travels as the first detail.
        if (error instanceof InputError || error instanceof StoppedError)
          throw ApplicationFailure.nonRetryable(error.message, error.name, error.next);
        throw error;
      } finally {
        stopHeartbeat();
      }
    },
  };
}
