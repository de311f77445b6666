import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { SeedResult } from "../run-seed.ts";
import { bundleSimulator } from "../runner/bundle.ts";
import { openPool } from "../runner/pool.ts";
import { trySeeds } from "../runner/try-seeds.ts";
import type { Setting } from "../setting.ts";
import { type Mutant, plantMutant } from "./mutant.ts";

export interface MutantTried {
  readonly seeds: number;
  readonly seed: number | null;
  /** Null: the simulator did not notice. */
  readonly violation: SeedResult["violation"];
}

export interface TryMutant {
  readonly base: string;
  readonly count: number;
  readonly workers: number;
  readonly setting: Setting;
}

/** Plants the bug and tries seeds until a promise is broken. */
export async function tryMutant(mutant: Mutant, { base, count, workers, setting }: TryMutant): Promise<MutantTried> {
  const file = await bundleSimulator([plantMutant(mutant)]);
  const pool = openPool(file, workers);
  try {
    const { seeds, failed } = await trySeeds(pool, { base, count, setting });
    return { seeds, seed: failed?.seed ?? null, violation: failed?.violation ?? null };
  } finally {
    await pool.close();
    await rm(dirname(file), { recursive: true });
  }
}
