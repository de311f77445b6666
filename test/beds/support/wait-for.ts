/** Asks until the answer is there. Says the last answer when it is not in time. */
export async function waitFor<T>(what: string, ask: () => Promise<T | null>, withinMs: number): Promise<T> {
  const endMs = performance.now() + withinMs;
  let last = "no answer yet";
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null) return answer;
      last = "not yet";
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    if (performance.now() > endMs) throw new Error(`${what}: not within ${withinMs} ms; last: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
