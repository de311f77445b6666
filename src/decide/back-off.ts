/**
 * How long to wait after so many failures in a row, in milliseconds: doubled at each, up to `longestMs`, and a tenth more
 * or less, so that what failed together is not asked together again (R33). `random`: from 0 up to 1.
 */
export function backOffMs(
  rhythm: { readonly baseMs: number; readonly longestMs: number },
  failures: number,
  random: number,
): number {
  const longestMs = Math.max(rhythm.baseMs, rhythm.longestMs);
  return Math.min(rhythm.baseMs * 2 ** Math.min(failures, 30), longestMs) * (0.9 + random * 0.2);
}
