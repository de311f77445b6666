import type { Name } from "../core/names.ts";
import { accountWave } from "../decide/account-wave.ts";
import type { BuildPlan } from "../decide/plan-builds.ts";
import { accountFor, endLeftWave, getWave, listAnnounced, reopenInWave, type Accounted } from "../store/waves.ts";
import type { ControlDependencies } from "./control-dependencies.ts";
import { readWaveResults } from "./read-wave-results.ts";

type WaveDependencies = Pick<ControlDependencies, "db" | "mesh">;

interface WaveState {
  readonly plan: BuildPlan;
  /** Nothing of it runs any more, and nothing is begun. */
  readonly isLast: boolean;
}

/**
 * Accounts for the wave that goes on (R9). One that nobody goes on with, because a comparison's answer was lost or Temporal
 * forgot the loop, is accounted for as far as it came, and ended: `mesh build` waits for waves that go on. `open`: those that
 * went on when the plan began. One that began since is of a newer round, whose plan this is not: this one is late.
 */
export async function accountForWaves(
  deps: WaveDependencies,
  { wave, open, plan, isLast }: WaveState & { readonly wave: string | null; readonly open: readonly string[] },
): Promise<void> {
  if (wave !== null) await (isLast ? accountAtEnd : accountForOver)(deps, wave, plan);
  for (const left of open) {
    if (left === wave) continue;
    const rows = await listChanged(deps, left, plan);
    await endLeftWave(deps.db, deps.mesh, { wave: left, attended: wave, rows });
  }
}

/** At its end all that was announced is said, once more: also what moved after it was accounted for. */
async function accountAtEnd(deps: WaveDependencies, id: string, plan: BuildPlan): Promise<void> {
  const changed = await listChanged(deps, id, plan);
  if (changed.size > 0) await accountFor(deps.db, deps.mesh, id, changed);
}

async function listChanged(deps: WaveDependencies, id: string, plan: BuildPlan): Promise<Map<Name, Accounted>> {
  const changed = new Map<Name, Accounted>();
  const wave = await getWave(deps.db, deps.mesh, id);
  if (wave === null) return changed;
  const results = await readWaveResults(deps.db, deps.mesh, id);
  for (const { module, ...row } of accountWave(wave.announced, results, plan, wave.accounted)) {
    const known = wave.accounted[module];
    if (known?.outcome !== row.outcome || known.why !== row.why) changed.set(module, row);
  }
  return changed;
}

/**
 * While it goes, what is over is accounted for; who waits for whom and what was superseded is said at its end. What is to be
 * built again, because its source moved or it is tried again, is still to come, whatever it came to before. There is a plan
 * after each few builds: only of what is newly over is asked what its build came to.
 */
async function accountForOver(deps: WaveDependencies, id: string, plan: BuildPlan): Promise<void> {
  const announced = await listAnnounced(deps.db, deps.mesh, id);
  if (announced === null) return;
  const again = new Set([...plan.ready, ...plan.building].map(({ module }) => module));
  const reopened = announced.accounted.filter((module) => again.has(module));
  if (reopened.length > 0) await reopenInWave(deps.db, deps.mesh, id, reopened);
  const stands = [...plan.current, ...plan.unfit, ...plan.outstanding, ...plan.broken, ...plan.cannotTell];
  const settled = new Set(stands.map(({ module }) => module));
  const over = announced.unaccounted.filter((module) => settled.has(module));
  if (over.length === 0) return;
  const results = await readWaveResults(deps.db, deps.mesh, id, over);
  const rows = accountWave(over, results, plan).map(({ module, ...row }) => [module, row] as const);
  await accountFor(deps.db, deps.mesh, id, new Map(rows));
}
