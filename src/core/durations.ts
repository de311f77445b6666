/** A length of time at a glance: `340 ms`, `4.2 s`, `3 min`, `5 h`, `12 d`. */
export function describeDuration(ms: number): string {
  const rest = Math.max(0, ms);
  if (rest < 1000) return `${Math.round(rest)} ms`;
  if (rest < 10_000) return `${(rest / 1000).toFixed(1)} s`;
  if (rest < 60_000) return `${Math.floor(rest / 1000)} s`;
  if (rest < 3_600_000) return `${Math.floor(rest / 60_000)} min`;
  if (rest < 86_400_000) return `${Math.floor(rest / 3_600_000)} h`;
  return `${Math.floor(rest / 86_400_000)} d`;
}
