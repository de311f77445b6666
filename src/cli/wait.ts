/**
 * How long to wait before a large mesh is read again: at most a fifth of the time is spent reading. `startedMs`: when the
 * reading began, by the monotonic clock; `leastMs`: where it takes no time.
 */
export function pauseAfter(startedMs: number, leastMs: number, nowMs = performance.now()): number {
  return Math.max(leastMs, (nowMs - startedMs) * 4);
}

/** Waits, and ends early without an error when `signal` is aborted. */
export async function sleep(waitMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    signal?.addEventListener("abort", end, { once: true });
  });
}
