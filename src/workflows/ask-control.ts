import { proxyActivities } from "@temporalio/workflow";
import type { ControlActivities } from "../activities/control.ts";
import { controlQueue } from "../decide/ids.ts";

/** The control activities, each call with a sentence that a person reads in the timeline. */
export function askControl(mesh: string, summary: string): ReturnType<typeof proxyActivities<ControlActivities>> {
  return proxyActivities<ControlActivities>({
    taskQueue: controlQueue(mesh),
    startToCloseTimeout: "10 minutes",
    // Every control activity beats every 5 s: a killed worker is noticed in a quarter of a minute.
    heartbeatTimeout: "15 seconds",
    retry: { initialInterval: "500 milliseconds", maximumInterval: "30 seconds" },
    summary: summary.length <= 200 ? summary : `${summary.slice(0, 199)}…`,
  });
}
