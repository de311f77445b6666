import { createRandom } from "../../simulation/random.ts";
import { searchPlaces } from "../../support/canary-places.ts";
import { listMeshPlaces } from "../../beds/support/mesh-places.ts";
import { checkHistory } from "../checks/check-history.ts";
import type { Check } from "../checks/violation.ts";
import type { History } from "../history/history.ts";
import { readHistory } from "../history/read-history.ts";
import { canary, type FaultBed } from "../mesh/bed.ts";
import { waitUntilSettled } from "../mesh/workload.ts";
import type { Scenario } from "../scenarios/scenario.ts";

export interface Verdict {
  readonly scenario: string;
  readonly seed: number;
  readonly seconds: number;
  /** Promises that were broken. A scenario that did not come to its end is one too. */
  readonly broken: readonly Check[];
  readonly history: History;
}

/** One scenario on a mesh that runs, then everything that was ever promised of its whole history. */
export async function runScenario(bed: FaultBed, scenario: Scenario, seed: number): Promise<Verdict> {
  const fromMs = performance.now();
  const broken: Check[] = [];
  try {
    await scenario.run(bed, createRandom(seed, scenario.name));
    await bed.controllers.waitForHolder();
    await waitUntilSettled(bed);
  } catch (error) {
    const message = `${scenario.name} did not come to its end: ${error instanceof Error ? error.message : String(error)}`;
    broken.push({ invariant: "L1", message });
  }
  const history = await readHistory(bed).catch((error: unknown) => {
    const why = broken.map(({ message }) => `${message}; then `).join("");
    throw new Error(`${why}the records cannot be read: ${String(error)}`, { cause: error });
  });
  broken.push(...checkHistory(history));
  return { scenario: scenario.name, seed, seconds: (performance.now() - fromMs) / 1000, broken, history };
}

/** I12: no credential in clear, anywhere that something is kept or said. */
export async function checkSecrets(bed: FaultBed): Promise<Check[]> {
  const { folder, state, said } = bed;
  const { hits, looked } = await searchPlaces(canary, listMeshPlaces({ folder, state, said, isUp: true }));
  if (looked < 100) return [{ invariant: "I12", message: `only ${looked} places were looked at` }];
  return hits.map((hit) => ({ invariant: "I12", message: `a secret in clear: ${hit}` }));
}
