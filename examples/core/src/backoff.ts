/** How long to wait before try `attempt` (0, 1, 2 …): doubles from 100 ms to 5 s, with `chance` (0…1) spread over half of it. */
export function backoffMs(attempt: number, chance: number): number {
  const full = Math.min(5000, 100 * 2 ** Math.min(attempt, 10));
  return Math.round(full / 2 + (full / 2) * chance);
}
