import { timeMs } from "./ages.ts";

const firstMs = 5_000;
const longestMs = 600_000;

/** No next try is further ahead than this, with half of the longest pause on top of it and something for two clocks. */
export const farthestTryMs = 2 * longestMs;

/**
 * How long a build that nobody could judge waits before it is tried again, in milliseconds: 5 s, doubled at each attempt
 * up to 10 minutes, with up to half of it on top, so that what failed together does not come back together (R33).
 * `random`: from 0 up to 1.
 */
export function retryInMs(attempt: number, random: number): number {
  const baseMs = Math.min(firstMs * 2 ** Math.min(Math.max(attempt, 1) - 1, 10), longestMs);
  return Math.round(baseMs * (1 + random / 2));
}

/** A next try further ahead is of a clock that was ahead, and was set back since: nobody waits until then. */
export function isTryDue(nextTryAt: string | null, now: string): boolean {
  if (nextTryAt === null) return true;
  const aheadMs = timeMs(nextTryAt) - timeMs(now);
  return aheadMs <= 0 || aheadMs > farthestTryMs;
}
