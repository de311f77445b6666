import { leaseAgeMs } from "../../../src/decide/lease.ts";
import { faultsUntilMs } from "../faults.ts";
import { guard, type Parts } from "../parts.ts";
import { demand } from "./violation.ts";

const lookEveryMs = 1_000;
const renewEveryMs = 5_000;
/** The slowest clock here, and the time in which a controller that ended is started again. */
const slowestRate = 0.9;
const startMs = 3_000;
/** It waits a whole age since it last saw a renewal, by its own clock. */
export const handoverMs = (leaseAgeMs + renewEveryMs) / slowestRate + startMs;

/** L2: once faults stop, one acts, and where that one is gone, another within the age and a renewal. */
export function watchLease(parts: Parts, untilMs: number): void {
  const { timeline, controllers, emptied, held } = parts;
  let lastMs = faultsUntilMs;
  const look = (): void => {
    const acting = [...controllers].filter((one) => one.lease?.mayAct() === true);
    // One that stands still is a fault that goes on: it may renew once more before it ends.
    const isDisturbed = [...controllers].some(({ process }) => process.isPaused);
    if (acting.length > 0 || isDisturbed) lastMs = timeline.nowMs;
    const vacantMs = timeline.nowMs - Math.max(lastMs, held.atMs);
    guard(parts, () => {
      demand(vacantMs <= handoverMs, "L2", () => `for ${vacantMs} ms no controller may act, and nothing is broken`);
      const isEarly = timeline.nowMs - Math.max(faultsUntilMs, emptied.atMs) < handoverMs;
      demand(isEarly || acting.length < 2, "L2", () => {
        return `${acting.map(({ process }) => process.name).join(" and ")} may act, long after the last fault`;
      });
    });
    if (timeline.nowMs < untilMs) timeline.at(lookEveryMs, look);
  };
  timeline.at(faultsUntilMs, look);
}
