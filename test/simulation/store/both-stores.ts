import { createPruneRecords, type PruneRecords } from "../../../src/activities/prune-records.ts";
import { createPushRecords, type PushRecords } from "../../../src/activities/push-records.ts";
import type { Order } from "../../../src/core/declaration.ts";
import type { Report } from "../../../src/core/report.ts";
import type { RecoveryPlan } from "../../../src/decide/plan-recovery.ts";
import { leaseAgeMs } from "../../../src/decide/lease.ts";
import { judgeReport, listGrantsRead } from "../../../src/decide/judge-report.ts";
import { keepAccount } from "../../../src/store/accounts.ts";
import { assign } from "../../../src/store/assignments.ts";
import { listAutoDue, type AutoDue } from "../../../src/store/auto-due.ts";
import { putArtifact } from "../../../src/store/artifacts.ts";
import type { Database } from "../../../src/store/database.ts";
import { keepClaim } from "../../../src/store/heed-claim.ts";
import { readLease, releaseLease, renewLease, takeLease } from "../../../src/store/lease.ts";
import { ensureMesh } from "../../../src/store/meshes.ts";
import { recordModulePlans } from "../../../src/store/module-plans.ts";
import { addModule } from "../../../src/store/modules.ts";
import { addNode, getNode } from "../../../src/store/nodes.ts";
import { confirmWithdrawals, listProvisions } from "../../../src/store/provisions.ts";
import { recoverMesh } from "../../../src/store/recovery.ts";
import { addRepository } from "../../../src/store/repositories.ts";
import { readNewest } from "../../../src/worker/gateway-records.ts";
import type { LeaseStore } from "../../../src/worker/lease-keeper.ts";
import type { Provision } from "../../../src/core/provision.ts";
import { digestOf } from "../../store/open-records.ts";
import { createProcess } from "../timeline.ts";
import { assign as assignInTwin, listNodeNames, firstRecords, moduleNames } from "../world/mesh.ts";
import { listAutoDue as listDueInTwin } from "../world/policy.ts";
import type { Draft, Records } from "./state.ts";
import { createInstant } from "./instant.ts";
import { createStoreTwin } from "./twin.ts";

/** What both stores do for the simulator: the twin in no time, and PostgreSQL as the product calls it. */
export interface StoreUnderContract {
  readonly mesh: string;
  readonly push: PushRecords;
  readonly prune: PruneRecords;
  readonly lease: (holder: string) => LeaseStore;
  readonly keepReport: (report: Report) => Promise<string>;
  readonly heedClaim: (node: string, has: Order) => Promise<boolean>;
  readonly recover: (without: readonly string[]) => Promise<RecoveryPlan>;
  readonly listProvisions: () => Promise<readonly Provision[]>;
  readonly newestEnvelope: (node: string, after: Order | null) => Promise<Uint8Array | null>;
  readonly listAutoDue: () => Promise<readonly AutoDue[]>;
}

const nodes = listNodeNames(3);

/** Those of every run, and a module under `auto` on a node. */
function recordsUnderContract(): Records {
  const draft: Draft = { ...firstRecords(nodes) };
  assignInTwin(draft, "page", "node-a", {});
  return draft;
}

/** The records of `firstRecords`, in the twin. */
export function openTwin(mesh: string): StoreUnderContract {
  const twin = createStoreTwin(createInstant(), { ...recordsUnderContract(), mesh });
  const connection = twin.connect(createProcess("contract"), { latencyMs: () => 0, call: () => "none" });
  return {
    mesh,
    push: connection.push,
    prune: connection.prune,
    lease: connection.lease,
    keepReport: connection.keepReport,
    heedClaim: connection.heedClaim,
    recover: connection.recover,
    listProvisions: () => Promise.resolve(twin.records.provisions.map((one) => one.provision)),
    newestEnvelope: connection.newestEnvelope,
    listAutoDue: () => Promise.resolve(listDueInTwin(twin.records)),
  };
}

/** The same records in PostgreSQL. */
export async function openPostgres(db: Database, mesh: string): Promise<StoreUnderContract> {
  const first = recordsUnderContract();
  await ensureMesh(db, mesh);
  await addRepository(db, mesh, { name: "examples", url: "file:///examples.git" });
  for (const { name, address, incarnation, keys } of first.nodes.values()) {
    await addNode(db, mesh, { name, address });
    const values = [mesh, name, incarnation, keys?.sign ?? null, keys?.seal ?? null];
    const enrol = `update node set incarnation = $3, sign_key = $4, seal_key = $5, enrolled_at = now()
      where mesh = $1 and name = $2`;
    await db.query(enrol, values);
  }
  for (const name of moduleNames) {
    await addModule(db, mesh, { name, repository: "examples", branch: "main", path: name });
    await db.query(`update module set manifest = $3 where mesh = $1 and name = $2`, [mesh, name, manifestOf(name)]);
  }
  for (const { artifact, manifest } of first.artifacts.values()) {
    await putArtifact(db, mesh, artifact, manifest);
    const fit = { inputs: digestOf("inputs"), artifact: artifact.digest };
    const plan = { standing: "current", standingWhy: "", wantedInputs: fit.inputs, fit } as const;
    await recordModulePlans(db, mesh, [{ module: artifact.module, ...plan }]);
  }
  for (const list of first.assignments.values()) for (const one of list) await assign(db, mesh, one);
  return {
    mesh,
    push: createPushRecords(db, mesh),
    prune: createPruneRecords(db, mesh),
    lease: (holder) => openLease(db, mesh, holder),
    async keepReport(report) {
      const decision = await keepAccount(db, mesh, report, (facts) => judgeReport(report, facts));
      const { kind } = decision;
      const read = kind === "kept" || kind === "duplicate" ? listGrantsRead(report) : null;
      if (read !== null) await confirmWithdrawals(db, mesh, read);
      return kind === "wrong-incarnation" || kind === "unknown-declaration" ? "refused" : kind;
    },
    async heedClaim(node, order) {
      const incarnation = (await getNode(db, mesh, node))?.incarnation ?? null;
      if (incarnation === null) return true;
      const judged = await keepClaim(db, mesh, { node, incarnation, order, digest: null });
      return judged.kind === "known" || !judged.stops;
    },
    recover: async (without) => (await recoverMesh(db, { mesh, without, by: "recovery", why: "contract" })).plan,
    listProvisions: () => listProvisions(db, mesh),
    newestEnvelope: (node, after) => readNewest({ db, mesh, trust: { renew: (envelope) => envelope } }, node, after),
    listAutoDue: () => listAutoDue(db, mesh),
  };
}

function manifestOf(module: string): unknown {
  const found = [...firstRecords(nodes).artifacts.values()].find((one) => one.artifact.module === module);
  if (found === undefined) throw new Error(`no artifact of ${module}`);
  return found.manifest;
}

function openLease(db: Database, mesh: string, holder: string): LeaseStore {
  return {
    read: () => readLease(db, mesh),
    take: (seen) => takeLease(db, { mesh, holder, ageMs: leaseAgeMs, seen }),
    renew: (epoch, beats) => renewLease(db, { mesh, holder, epoch, beats }),
    release: (epoch) => releaseLease(db, { mesh, holder, epoch }),
  };
}

/** For comparing: moments of the clock are all one, bytes are text, maps are lists. */
export function comparable(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(comparable).toSorted(byText);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === "string") return value === fixedMoment || !isMoment(value) ? value : "a moment";
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, key.endsWith("Ms") ? "an age" : comparable(member)]));
}

/** Written by the test itself, so it must come back as it was. */
export const fixedMoment = "2025-06-01T00:00:00.000Z";

function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text);
}

function byText(a: unknown, b: unknown): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
