import { setTimeout as sleep } from "node:timers/promises";

/** Waits, or less when the signal aborts. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** One who waits until somebody says *look*, as often as it was said. Saying it before counts. */
export interface Wake {
  look(): void;
  /** Returns after `look`, after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWake(clock: { wait(ms: number, signal: AbortSignal): Promise<void> }): Wake {
  let isDue = false;
  let controller: AbortController | null = null;
  return {
    look() {
      isDue = true;
      controller?.abort();
    },
    async wait(ms, signal) {
      if (!isDue && !signal.aborted) {
        controller = new AbortController();
        await clock.wait(ms, AbortSignal.any([signal, controller.signal]));
        controller = null;
      }
      isDue = false;
    },
  };
}
