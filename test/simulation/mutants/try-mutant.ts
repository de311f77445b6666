import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Plugin } from "esbuild";
import type { SeedResult } from "../run-seed.ts";
import { bundleSimulator } from "../runner/bundle.ts";
import { openPool, type Pool } from "../runner/pool.ts";
import { trySeeds } from "../runner/try-seeds.ts";
import type { Setting } from "../setting.ts";
import { type Mutant, plant, plantMutant } from "./mutant.ts";

export interface MutantTried {
  readonly seeds: number;
  readonly seed: number | null;
  /** Null: the simulator did not notice. */
  readonly violation: SeedResult["violation"];
}

export interface TryMutant {
  readonly base: string;
  readonly count: number;
  readonly setting: Setting;
}

/**
 * Plants the bug and tries seeds until a promise is broken. In one thread: most are found in a few seeds, and each thread reads
 * and warms up all of the code first. Many mutants at once keep the cores busy.
 */
export async function tryMutant(mutant: Mutant, { base, count, setting }: TryMutant): Promise<MutantTried> {
  return withSimulator([plantMutant(mutant)], async (pool) => {
    const { seeds, failed } = await trySeeds(pool, { base, count, setting });
    return { seeds, seed: failed?.seed ?? null, violation: failed?.violation ?? null };
  });
}

/** The same seed with the faults that come often, and no bug: what they break by themselves shows nothing. */
export function tryWithoutBug({ name, often = [] }: Mutant, seed: number, setting: Setting): Promise<SeedResult> {
  return withSimulator([plant(`often, for ${name}`, often)], (pool) => pool.run(seed, setting));
}

async function withSimulator<T>(plugins: readonly Plugin[], act: (pool: Pool) => Promise<T>): Promise<T> {
  const file = await bundleSimulator(plugins);
  const pool = openPool(file, 1);
  try {
    return await act(pool);
  } finally {
    await pool.close();
    await rm(dirname(file), { recursive: true });
  }
}
