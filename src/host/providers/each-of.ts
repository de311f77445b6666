import { NoAnswerError } from "./no-answer.ts";

/**
 * Every one is tried: a bad one must not hold back the others. Then the first failure is thrown. But where the server does not
 * answer any more, or the signal aborts, the rest waits for another pass, and that is what is thrown.
 */
export async function eachOf<T>(
  items: readonly T[],
  signal: AbortSignal,
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    signal.throwIfAborted();
    try {
      await act(item);
    } catch (error) {
      if (error instanceof NoAnswerError || signal.aborted) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
