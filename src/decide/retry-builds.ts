const firstMs = 5_000;
const longestMs = 600_000;

/**
 * How long a build that nobody could judge waits before it is tried again, in milliseconds: 5 s, doubled at each attempt
 * up to 10 minutes, with up to half of it on top, so that what failed together does not come back together (R33).
 * `random`: from 0 up to 1.
 */
export function retryInMs(attempt: number, random: number): number {
  const baseMs = Math.min(firstMs * 2 ** Math.min(Math.max(attempt, 1) - 1, 10), longestMs);
  return Math.round(baseMs * (1 + random / 2));
}
