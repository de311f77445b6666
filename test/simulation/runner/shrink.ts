import type { SeedResult } from "../run-seed.ts";
import type { Setting } from "../setting.ts";
import type { Pool } from "./pool.ts";

export interface Shrunk {
  readonly setting: Setting;
  readonly result: SeedResult;
}

/** Takes away classes of faults, then acts, then hosts, as long as the same promise is broken. */
export async function shrink(pool: Pool, failed: SeedResult, setting: Setting): Promise<Shrunk> {
  let smallest: Shrunk = { setting, result: failed };
  const isKept = async (smaller: Setting): Promise<boolean> => {
    const result = await pool.run(failed.seed, smaller);
    if (result.violation?.invariant !== failed.violation?.invariant) return false;
    smallest = { setting: smaller, result };
    return true;
  };
  for (const name of setting.switches) {
    const switches = new Set(smallest.setting.switches);
    switches.delete(name);
    await isKept({ ...smallest.setting, switches });
  }
  for (let acts = smallest.setting.acts >> 1; acts >= 1; acts >>= 1)
    if (!(await isKept({ ...smallest.setting, acts }))) break;
  for (let acts = smallest.setting.acts - 1; acts >= 1; acts -= 1)
    if (!(await isKept({ ...smallest.setting, acts }))) break;
  for (let hosts = smallest.setting.hosts - 1; hosts >= 1; hosts -= 1)
    if (!(await isKept({ ...smallest.setting, hosts }))) break;
  return smallest;
}
