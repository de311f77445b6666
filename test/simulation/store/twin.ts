import type { PruneRecords } from "../../../src/activities/prune-records.ts";
import type { PushRecords } from "../../../src/activities/push-records.ts";
import type { Order } from "../../../src/core/declaration.ts";
import type { Name } from "../../../src/core/names.ts";
import type { Report } from "../../../src/core/report.ts";
import { listGrantsRead } from "../../../src/decide/judge-report.ts";
import type { Claim } from "../../../src/decide/judge-claim.ts";
import type { RecoveryPlan } from "../../../src/decide/plan-recovery.ts";
import { compareOrder } from "../../../src/decide/order.ts";
import type { LeaseStore } from "../../../src/worker/lease-keeper.ts";
import type { Process, Timeline } from "../timeline.ts";
import { type Backend, createBackend, type ReportAnswered } from "./backend.ts";
import { createLeaseTwin } from "./lease-twin.ts";
import { type CandidatePace, readUntilNew } from "./read-until-new.ts";
import { createPruneTwin } from "./prune-twin.ts";
import { createPushTwin } from "./push-twin.ts";
import { heed, judge } from "./claim-twin.ts";
import { recover } from "./recovery-twin.ts";
import { claimOf, confirm, keepReport } from "./report-twin.ts";
import { createRoad, type Road, type StoreFaults } from "./road.ts";
import { type Draft, newestDeclaration, type Records } from "./state.ts";

/** PostgreSQL as far as a push, the lease and the accounts need it; snapshots cost nothing. */
export interface StoreTwin extends Backend {
  connect(process: Process, faults: StoreFaults): Connection;
}

export interface Connection {
  readonly push: PushRecords;
  readonly prune: PruneRecords;
  readonly lease: (holder: string, pace?: CandidatePace) => LeaseStore;
  readonly keepReport: (report: Report) => Promise<ReportAnswered>;
  /** False: the mesh is stopped by it, and the host is given nothing. */
  readonly heedClaim: (node: string, has: Order) => Promise<boolean>;
  /** What a person does where the mesh is stopped; a plan that is not ready changed nothing. */
  readonly recover: (without: readonly Name[]) => Promise<RecoveryPlan>;
  readonly newestEnvelope: (node: string, after: Order | null) => Promise<Uint8Array | null>;
}

export function createStoreTwin(timeline: Timeline, first: Records): StoreTwin {
  const backend = createBackend(timeline, first);
  return Object.assign(backend, {
    connect: (process: Process, faults: StoreFaults): Connection => connect(timeline, backend, process, faults),
  });
}

/** A stop changes the gate's own row: it waits for the composition in flight, and is there for the next. */
function writeHeeding<T>(backend: Backend, road: Road, claim: Claim | null, act: (draft: Draft) => T): Promise<T> {
  const judged = claim === null ? null : judge(backend.records, claim);
  if (judged === null || judged.kind === "known" || !judged.stops) return road.write(act);
  return road.throughGate(() => road.write(act));
}

function connect(timeline: Timeline, backend: Backend, process: Process, faults: StoreFaults): Connection {
  const road = createRoad(timeline, backend, process, faults);
  return {
    push: createPushTwin(backend, road, process),
    prune: createPruneTwin(backend, road),
    lease(holder, pace) {
      const twin = createLeaseTwin(backend, road, holder);
      if (pace === undefined) return twin;
      return { ...twin, read: readUntilNew({ timeline, backend, process, faults, pace }) };
    },
    async keepReport(report) {
      const claim = claimOf(report);
      const decision = await writeHeeding(backend, road, claim, (draft) => {
        const before = backend.records;
        const kept = keepReport(draft, report, backend.nowIso(), backend);
        backend.onReported(report, kept, before, { ...draft });
        const account = draft.accounts.get(report.node);
        const enrolled = draft.nodes.get(report.node)?.incarnation ?? null;
        if (kept === "kept" && account !== undefined) backend.onKept({ report, track: account.track, enrolled });
        return kept;
      });
      if (decision === "kept" || decision === "duplicate") {
        const read = listGrantsRead(report);
        if (read !== null) await road.write((draft) => confirm(draft, read, backend.onWithdrawn));
      }
      return decision;
    },
    heedClaim(node, order) {
      const incarnation = backend.records.nodes.get(node)?.incarnation ?? null;
      if (incarnation === null) return Promise.resolve(true);
      const claim = { node, incarnation, order, digest: null };
      return writeHeeding(backend, road, claim, (draft) => {
        const judged = heed(draft, claim, backend.nowIso());
        return judged.kind === "known" || !judged.stops;
      });
    },
    recover: (without) => road.throughGate(() => road.write((draft) => recover(draft, without, backend.nowIso()))),
    newestEnvelope: (node, after) =>
      road.call(() => {
        const { records } = backend;
        const newest = newestDeclaration(records, node);
        if (newest === null || (after !== null && compareOrder(newest.mail.order, after) <= 0)) return null;
        return newest.mail.incarnation === records.nodes.get(node)?.incarnation ? newest.mail.envelope : null;
      }),
  };
}
