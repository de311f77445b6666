import type { Condition } from "../../core/condition.ts";
import type { Name } from "../../core/names.ts";
import type { Listening, SituationLimits } from "../../decide/situation-facts.ts";
import { type BuildUnderWayRecord, listBuildsUnderWay } from "../../store/builds-under-way.ts";
import { listBuildsToPlan, type PlannedBuildRecord } from "../../store/builds-to-plan.ts";
import { listConditions } from "../../store/conditions.ts";
import type { Database } from "../../store/database.ts";
import { listModuleLabels, type ModuleLabels } from "../../store/module-labels.ts";
import { listModules, type ModuleRecord } from "../../store/modules.ts";
import { listOwed, type OwedProvision } from "../../store/provisions.ts";
import { listOpenPushes, type PushRecord } from "../../store/pushes.ts";
import { readClock } from "../../store/read-clock.ts";
import { readListening } from "../../store/read-listening.ts";
import { loadMeshView, type MeshView } from "../../store/situations.ts";
import { listHeads, type SourceHead } from "../../store/source-heads.ts";
import { readStop, type Stop } from "../../store/stop.ts";
import { inTransaction } from "../../store/transaction.ts";
import type { Standby } from "../../store/standbys.ts";
import { type ControllerState, readControllerState, readStandbys } from "../controller-state.ts";

/** Everything `status` reads. Nodes come from the view that `push --behind` uses too, so that both say the same. */
export interface StatusRecords {
  readonly mesh: Name;
  readonly view: MeshView;
  readonly limits: SituationLimits;
  readonly controller: ControllerState;
  readonly listening: Listening;
  readonly standbys: readonly Standby[];
  readonly modules: readonly ModuleRecord[];
  readonly labels: readonly ModuleLabels[];
  /** The builds that the modules' fit artifacts came from. */
  readonly fitBuilds: readonly PlannedBuildRecord[];
  /** What runs now, by module. */
  readonly underWay: ReadonlyMap<Name, BuildUnderWayRecord>;
  readonly heads: readonly SourceHead[];
  readonly owed: readonly OwedProvision[];
  readonly conditions: readonly Condition[];
  readonly openPushes: readonly PushRecord[];
  readonly stop: Stop | null;
}

/** Read now. A record that does not answer is an error, never left out (R26). */
export async function loadStatus(
  db: Database,
  mesh: Name,
  { limits, lostAfterMs }: { readonly limits: SituationLimits; readonly lostAfterMs: number },
): Promise<StatusRecords> {
  const view = await loadMeshView(db, mesh, { now: await readClock(db), limits });
  return await inTransaction(db, { isolation: "repeatable read", access: "read only" }, async (tx) => {
    const modules = await listModules(tx, mesh);
    return {
      mesh,
      view,
      limits,
      controller: await readControllerState(tx, mesh),
      listening: await readListening(tx, mesh),
      standbys: await readStandbys(tx, mesh),
      modules,
      labels: await listModuleLabels(tx, mesh),
      fitBuilds: await listBuildsToPlan(
        tx,
        mesh,
        modules.flatMap((module) => module.fitInputs ?? []),
      ),
      underWay: await listBuildsUnderWay(tx, mesh, { now: view.readAt, lostAfterMs }),
      heads: await listHeads(tx, mesh),
      owed: await listOwed(tx, mesh),
      conditions: await listConditions(tx, mesh),
      openPushes: await listOpenPushes(tx, mesh),
      stop: await readStop(tx, mesh),
    };
  });
}
