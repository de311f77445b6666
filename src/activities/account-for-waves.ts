import type { Name } from "../core/names.ts";
import { accountWave } from "../decide/account-wave.ts";
import type { BuildPlan } from "../decide/plan-builds.ts";
import { accountFor, endWave, getWave, listOpenWaves, reopenInWave, type Accounted } from "../store/waves.ts";
import type { ControlDependencies } from "./control-dependencies.ts";
import { readWaveResults } from "./read-wave-results.ts";

interface WaveState {
  readonly plan: BuildPlan;
  /** Nothing of it runs any more, and nothing is begun. */
  readonly isLast: boolean;
}

/**
 * Accounts for the wave that goes on (R9). One that nobody goes on with, because a comparison's answer was lost or Temporal
 * forgot the loop, is accounted for as far as it came, and ended: `mesh build` waits for waves that go on.
 */
export async function accountForWaves(
  deps: Pick<ControlDependencies, "db" | "mesh">,
  { wave, ...state }: WaveState & { readonly wave: string | null },
): Promise<void> {
  if (wave !== null) await account(deps, wave, state);
  for (const left of await listOpenWaves(deps.db, deps.mesh)) {
    if (left === wave) continue;
    await account(deps, left, { ...state, isLast: true });
    await endWave(deps.db, deps.mesh, left);
  }
}

/**
 * While it goes, what is over is accounted for; who waits for whom and what was superseded is said at its end. What is to be
 * built again, because its source moved or it is tried again, is still to come, whatever it came to before.
 */
async function account(
  deps: Pick<ControlDependencies, "db" | "mesh">,
  id: string,
  { plan, isLast }: WaveState,
): Promise<void> {
  const wave = await getWave(deps.db, deps.mesh, id);
  if (wave === null) return;
  const results = await readWaveResults(deps.db, deps.mesh, wave);
  const again = new Set([...plan.ready, ...plan.building].map(({ module }) => module));
  const reopened = isLast ? [] : Object.keys(wave.accounted).filter((module) => again.has(module));
  if (reopened.length > 0) await reopenInWave(deps.db, deps.mesh, id, reopened);
  const changed = new Map<Name, Accounted>();
  for (const { module, ...row } of accountWave(wave.announced, results, plan)) {
    const { outcome, why } = row;
    const known = wave.accounted[module];
    const isOver = outcome !== "waiting" && outcome !== "superseded" && !again.has(module);
    if ((isLast || isOver) && (known?.outcome !== outcome || known.why !== why)) changed.set(module, row);
  }
  if (changed.size > 0) await accountFor(deps.db, deps.mesh, id, changed);
}
