import type { LeaseClock } from "../../../src/worker/lease-keeper.ts";
import type { Process, Timeline } from "../timeline.ts";

export interface ClockFaults {
  /** This controller's clocks run so much faster (1.02) or slower (0.98). */
  readonly rate: number;
  readonly wallOffsetMs: () => number;
}

/** The clocks of one process, which can be stopped: then its timers do not come either. */
export interface ModelClock extends LeaseClock {
  stop(): void;
  start(): void;
}

interface ClockParts {
  readonly timeline: Timeline;
  readonly clock: ClockFaults;
  readonly startMs: number;
}

export function createModelClock({ timeline, clock, startMs }: ClockParts, process: Process): ModelClock {
  let stoppedAtMs: number | null = null;
  const due: (() => void)[] = [];
  const nowMs = (): number => (stoppedAtMs ?? timeline.nowMs) * clock.rate;
  return {
    monotonicMs: nowMs,
    wallMs: () => startMs + nowMs() + clock.wallOffsetMs(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(new Error("aborted"));
        if (signal.aborted) {
          abort();
          return;
        }
        signal.addEventListener("abort", abort, { once: true });
        const wake = (): void => {
          if (stoppedAtMs !== null) {
            due.push(wake);
            return;
          }
          signal.removeEventListener("abort", abort);
          resolve();
        };
        timeline.at(ms / clock.rate, wake, process);
      }),
    stop() {
      stoppedAtMs ??= timeline.nowMs;
    },
    start() {
      stoppedAtMs = null;
      for (const wake of due.splice(0)) timeline.at(0, wake, process);
    },
  };
}
