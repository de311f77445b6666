import type { ComparedWith, KeptRecords, PlanRecords } from "./kept-records.ts";

interface Compared<T> {
  readonly records: PlanRecords;
  readonly comparison: T;
}

/**
 * A comparison with the records as they are now. While they are asked whether anybody changed them, it is made with what
 * they were last, or with the modules where nothing was read yet; what it found counts only where those still are the same.
 */
export async function compareAhead<T>(
  kept: Pick<KeptRecords, "read" | "lastRead" | "readApart">,
  compare: (against: ComparedWith, signal?: AbortSignal) => Promise<T>,
): Promise<Compared<T>> {
  const last = kept.lastRead();
  const { first, whole } = last === null ? kept.readApart() : { first: Promise.resolve(last), whole: kept.read() };
  const stop = new AbortController();
  const ahead = first.then((against) => compare(against, stop.signal));
  // absence is the answer: it is awaited below, or does not count; it must only not be unhandled until then
  ahead.catch(() => undefined);
  try {
    const [against, records] = await Promise.all([first, whole]);
    if (records.registered === against.registered && records.known === against.known)
      return { records, comparison: await ahead };
  } finally {
    // One after the other: both would write to the same memory.
    stop.abort();
    // absence is the answer: what it found was taken above, or does not count
    await Promise.allSettled([ahead]);
  }
  const records = await whole;
  return { records, comparison: await compare(records) };
}
