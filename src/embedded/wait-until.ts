import { setTimeout as sleep } from "node:timers/promises";

/** Asks again until the answer is true. False when `timeoutMs` went by without. */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs = 25,
): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    if (await check()) return true;
    if (performance.now() >= until) return false;
    await sleep(everyMs);
  }
}
