import { asyncLocalStorage, Context } from "@temporalio/activity";

export interface ActivitySeen {
  heartbeats: number;
  readonly warnings: string[];
  /** Left out: it is not cancelled. */
  readonly cancelled?: { readonly signal: AbortSignal; readonly details: Partial<Context["cancellationDetails"]> };
}

/** Runs a function as an activity of Temporal would, and notes what it tells Temporal. */
export function runInActivity<T>(seen: ActivitySeen, act: () => Promise<T>): Promise<T> {
  const context = Object.create(Context.prototype, {
    info: { value: { activityId: "1", workflowExecution: { workflowId: "a test", runId: "1" } } },
    heartbeat: { value: () => void (seen.heartbeats += 1) },
    cancellationSignal: { value: seen.cancelled?.signal ?? new AbortController().signal },
    cancellationDetails: { value: seen.cancelled?.details },
    log: { value: { warn: (message: string) => void seen.warnings.push(message) } },
  }) as Context;
  return asyncLocalStorage.run(context, act);
}
