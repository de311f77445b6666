/** Asks until it is so; says what it waited for when it is not in time. */
export async function waitUntil(what: string, ask: () => Promise<boolean>, withinMs = 30_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await ask())) {
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
