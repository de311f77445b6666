import type { KeptRecords, PlanRecords } from "./kept-records.ts";

interface Compared<T> {
  readonly records: PlanRecords;
  readonly comparison: T;
}

/**
 * A comparison with the records as they are now. While they are asked whether anybody changed them, it is made with what
 * they were last; what it found counts only where they still are the same.
 */
export async function compareAhead<T>(
  kept: Pick<KeptRecords, "read" | "lastRead">,
  compare: (records: PlanRecords, signal?: AbortSignal) => Promise<T>,
): Promise<Compared<T>> {
  const last = kept.lastRead();
  const reading = kept.read();
  if (last !== null) {
    const stop = new AbortController();
    const ahead = compare(last, stop.signal);
    // absence is the answer: it is awaited below, or does not count; it must only not be unhandled until then
    ahead.catch(() => undefined);
    try {
      if ((await reading) === last) return { records: last, comparison: await ahead };
    } finally {
      // One after the other: both would write to the same memory.
      stop.abort();
      // absence is the answer: what it found was taken above, or does not count
      await Promise.allSettled([ahead]);
    }
  }
  const records = await reading;
  return { records, comparison: await compare(records) };
}
