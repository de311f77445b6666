/** The smallest value that is not exceeded by this share of them (nearest rank). Throws where there is none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new RangeError("no values to take a percentile of");
  return value;
}
