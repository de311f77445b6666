import type { Report } from "../../../src/core/report.ts";
import { describeOrder } from "../../../src/decide/order.ts";
import { type FailureTrack, isStuck } from "../../../src/decide/track-failures.ts";
import { demand } from "./violation.ts";

/** R32 in its own words, from nothing but the list of what was kept. */
const sameInARow = 3;
const failedInARow = 5;

/** L3: *stuck* is said exactly when the same failed three times, or five failed, since the last success. */
export function createStuckChecks(): { see(report: Report, track: FailureTrack): void } {
  const ends = new Map<string, { about: string; failures: string[]; last: Report }>();
  return {
    see(report, track) {
      const about = `${report.incarnation} ${report.has === null ? "nothing" : describeOrder(report.has)}`;
      const known = ends.get(report.node);
      const list = known?.about === about ? known.failures : [];
      if (report.outcome === "applied") list.length = 0;
      const isSaidAgain =
        known?.about === about &&
        known.last.boot === report.boot &&
        known.last.sequence >= (report.repeats ?? Infinity);
      if (hasFailedPass(report) && !isSaidAgain) list.push(listFailed(report));
      ends.set(report.node, { about, failures: list, last: report });
      const tail = list.slice(-sameInARow);
      const isSame = tail.length === sameInARow && new Set(tail).size === 1;
      const expected = isSame || list.length >= failedInARow;
      demand(isStuck(track) === expected, "L3", () => {
        const what = `after ${list.length} failed reports, the last of ${list.at(-1) ?? "nothing"}`;
        return `${report.node} is ${expected ? "not " : ""}said to be stuck ${what}`;
      });
    },
  };
}

/** Also where the host says half because something else still waits; without such a thing the pass goes on. */
function hasFailedPass({ outcome, resources }: Report): boolean {
  const states = new Set(resources.map(({ state }) => state));
  return outcome === "failed" || (outcome === "half" && states.has("failed") && states.has("waiting"));
}

function listFailed({ resources }: Report): string {
  return resources
    .flatMap(({ id, state }) => (state === "failed" ? [id] : []))
    .toSorted()
    .join(" ");
}
