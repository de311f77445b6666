import { setTimeout as sleep } from "node:timers/promises";

/** False when it was cut short. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(delayMs, undefined, { signal });
    return true;
  } catch {
    // absence is the answer: the pause was cut short, everything is being stopped.
    return false;
  }
}
