import { wait } from "./cycle/wait.ts";

/** The only time and the only timers of the host's loops: real ones, or those of a simulation. */
export interface HostClock {
  readonly nowMs: () => number;
  /** Returns after `ms`, or as soon as the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `act` after `ms`, unless what it returns is called before. */
  after(ms: number, act: () => void): () => void;
  /** Calls `act` every `ms`, until what it returns is called. */
  every(ms: number, act: () => void): () => void;
}

export const systemClock: HostClock = {
  nowMs: Date.now,
  wait,
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  every(ms, act) {
    const timer = setInterval(act, ms);
    return () => clearInterval(timer);
  },
};
