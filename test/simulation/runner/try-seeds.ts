import type { SeedResult } from "../run-seed.ts";
import type { Setting } from "../setting.ts";
import type { Pool } from "./pool.ts";
import { seedOf } from "./seed-of.ts";

export interface Tried {
  readonly seeds: number;
  readonly events: number;
  readonly sends: number;
  /** The first seed, by its place, that broke a promise; the ones after it may not have been tried. */
  readonly failed: SeedResult | null;
}

export interface TrySeeds {
  readonly base: string;
  readonly count: number;
  readonly setting: Setting;
  readonly onResult?: (result: SeedResult, done: number) => void;
}

/** Runs the seeds of a base until one breaks a promise. */
export async function trySeeds(pool: Pool, options: TrySeeds): Promise<Tried> {
  const { base, count, setting, onResult } = options;
  let next = 0;
  let done = 0;
  let events = 0;
  let sends = 0;
  const failed: { index: number; result: SeedResult }[] = [];
  const runSome = async (): Promise<void> => {
    while (next < count && failed.length === 0) {
      const index = next;
      next += 1;
      const result = await pool.run(seedOf(base, index), setting);
      done += 1;
      events += result.events;
      sends += result.sends;
      onResult?.(result, done);
      if (result.violation !== null) failed.push({ index, result });
    }
  };
  await Promise.all(Array.from({ length: pool.size }, runSome));
  const [first] = failed.toSorted((a, b) => a.index - b.index);
  return { seeds: done, events, sends, failed: first?.result ?? null };
}
