import type { Worker } from "@temporalio/worker";
import { buildQueue } from "../decide/ids.ts";
import type { Name } from "../core/names.ts";

/** How long what is in hand may go on when a controller is told to stop; then it is told to end, and tried again later. */
export const graceMs = 20_000;

/** What a controller that is told to stop waits for, for whoever looks at it and sees nothing happen. */
export function sayWaits(workers: readonly Pick<Worker, "options" | "getStatus">[], mesh: Name): string {
  let builds = 0;
  let others = 0;
  for (const worker of workers) {
    const inHand = worker.getStatus().numInFlightActivities;
    if (worker.options.taskQueue === buildQueue(mesh)) builds += inHand;
    else others += inHand;
  }
  if (builds + others === 0) return "this controller ends: nothing is in hand";
  const what = [
    count(builds, "build"),
    count(others, "step of a push or a comparison", "steps of pushes or comparisons"),
  ];
  const next = `what has not ended after ${graceMs / 1000} s is stopped, and tried again by the controller that comes next`;
  return `this controller ends, and waits for ${what.filter((one) => one !== "").join(" and ")}: ${next}`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return number === 0 ? "" : `${number} ${number === 1 ? one : many}`;
}
