import { setTimeout as sleep } from "node:timers/promises";

/** Asks every `everyMs` until there is an answer. Throws when there is none in time. */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | null>,
  { everyMs, withinMs }: { readonly everyMs: number; readonly withinMs: number },
): Promise<T> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > endMs) throw new Error(`${what}: not within ${withinMs} ms`);
    await sleep(everyMs);
  }
}
