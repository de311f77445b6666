/** Told in one line what is being done, or how long it took. Must not throw. */
export type Progress = (line: string) => void;

/** Does one step, and says how long it took. A failure is said by whoever catches it, not here. */
export async function timeStep<T>(progress: Progress, what: string, step: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await step();
  progress(`${what} (${formatSeconds(performance.now() - from)})`);
  return result;
}

export function formatSeconds(elapsedMs: number): string {
  return elapsedMs < 60_000
    ? `${(elapsedMs / 1000).toFixed(1)} s`
    : `${Math.floor(elapsedMs / 60_000)} min ${Math.round((elapsedMs % 60_000) / 1000)} s`;
}
