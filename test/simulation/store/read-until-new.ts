import { UnavailableError } from "../../../src/core/errors.ts";
import { isSameLease, mayTakeLease } from "../../../src/decide/lease.ts";
import type { LeaseRecord } from "../../../src/worker/lease-keeper.ts";
import { idle, type Process, type Timeline } from "../timeline.ts";
import type { Backend } from "./backend.ts";
import type { StoreFaults } from "./road.ts";

/** How a candidate looks: by its own clock. */
export interface CandidatePace {
  readonly monotonicMs: () => number;
  /** Between two looks, in true time. */
  readonly betweenMs: number;
}

export interface Looking {
  readonly timeline: Timeline;
  readonly backend: Backend;
  readonly process: Process;
  readonly faults: StoreFaults;
  readonly pace: CandidatePace;
}

/**
 * A candidate's `read` of the lease, again and again, at the same moments and with the same faults as when it asks and
 * sleeps itself: until the answer is a new one, or an error, or the lease may be taken. What it would do with an answer
 * that says nothing new is to ask again, and that is a third of all that happens in a run.
 */
export function readUntilNew({ timeline, backend, process, faults, pace }: Looking): () => Promise<LeaseRecord | null> {
  let seen: LeaseRecord | null = null;
  let seenAtMs = pace.monotonicMs();
  return () =>
    new Promise((resolve, reject) => {
      const look = (): typeof idle => {
        const fault = faults.call();
        timeline.plan(faults.latencyMs(), () => arrive(fault));
        return idle;
      };
      const arrive = (fault: ReturnType<StoreFaults["call"]>): typeof idle => {
        const isRefused = fault === "refused" || backend.isDown();
        const record = backend.records.lease;
        timeline.plan(faults.latencyMs(), () => answer(fault, isRefused, record), process);
        return idle;
      };
      const answer = (fault: string, isRefused: boolean, record: LeaseRecord | null): unknown => {
        if (isRefused) return reject(new UnavailableError("the records did not answer"));
        if (fault === "answer-lost") return reject(new UnavailableError("the connection broke before the answer"));
        const isNew = !isSameLease(record, seen);
        if (isNew) {
          seen = record;
          seenAtMs = pace.monotonicMs();
        }
        if (isNew || mayTakeLease(record, pace.monotonicMs() - seenAtMs)) return resolve(record);
        timeline.plan(pace.betweenMs, look, process);
        return idle;
      };
      look();
    });
}
