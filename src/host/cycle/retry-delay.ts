const firstMs = 500;
const factor = 1.7;
const longestMs = 60_000;

/**
 * How long to wait after `failures` failures in a row: doubles almost, bounded, and spread over its whole range, so
 * that thousands of hosts that lost their controller at once do not come back at once. `chance`: 0 ≤ chance < 1.
 */
export function retryDelayMs(failures: number, chance: number): number {
  const ceiling = Math.min(longestMs, firstMs * factor ** Math.min(failures, 50));
  return Math.round(firstMs / 5 + chance * ceiling);
}
