import type { Duration } from "@temporalio/common";
import { proxyActivities } from "@temporalio/workflow";
import type { ControlActivities } from "../activities/control.ts";
import { controlQueue } from "../decide/ids.ts";

interface Patience {
  readonly startToCloseTimeout: Duration;
}

/**
 * A comparison brings what moved of every source here, a few at once, and goes on without each that hangs after half a minute
 * (case 4); what it reads then may be much. Were it given up itself by then, it would be made again and again, and nothing
 * would be planned.
 */
export const patienceOfComparison: Patience = { startToCloseTimeout: "6 hours" };

/** The control activities, each call with a sentence that a person reads in the timeline. */
export function askControl(
  mesh: string,
  summary: string,
  { startToCloseTimeout }: Patience = { startToCloseTimeout: "10 minutes" },
): ReturnType<typeof proxyActivities<ControlActivities>> {
  return proxyActivities<ControlActivities>({
    taskQueue: controlQueue(mesh),
    startToCloseTimeout,
    // Every control activity beats every 5 s: a killed worker is noticed in a quarter of a minute.
    heartbeatTimeout: "15 seconds",
    retry: { initialInterval: "500 milliseconds", maximumInterval: "30 seconds" },
    summary: summary.length <= 200 ? summary : `${summary.slice(0, 199)}…`,
  });
}
