/** Endings older than this are forgotten; and those still to come, because the clock was set back. */
const intervalMs = 5 * 60_000;
const firstDelayMs = 250;
const longestDelayMs = 30_000;

/** After so many endings within the interval the service is called failed. It is started again all the same (R32). */
export const attemptsBeforeFailed = 3;

/** The endings that still count, of Unix milliseconds. */
export function recentEndings(endings: readonly number[], nowMs: number): readonly number[] {
  return endings.filter((at) => at <= nowMs && nowMs - at < intervalMs).slice(-100);
}

/** How long to wait before the next start, `endings` counting the one just now. Doubles, bounded. */
export function restartDelayMs(endings: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(20, Math.max(0, endings - 1)));
}
