import { randomBytes } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";
import { pino } from "pino";
import { inject } from "vitest";
import { createControlActivities } from "../../../src/activities/control.ts";
import { createPushRecords } from "../../../src/activities/push-records.ts";
import { sealDeclaration } from "../../../src/link/declaration-envelope.ts";
import { sealSecret } from "../../../src/link/sealing.ts";
import { createDeliverActivities } from "../../../src/activities/deliver.ts";
import { createRepositoryPool } from "../../../src/activities/repository-pool.ts";
import { createSilentSources } from "../../../src/activities/silent-sources.ts";
import type { PushResult } from "../../../src/core/push.ts";
import { controlQueue, deliverQueue } from "../../../src/decide/ids.ts";
import { generateSigningKey } from "../../../src/link/keys.ts";
import { createMemoryImportCache } from "../../../src/source/imports/import-cache.ts";
import { openDatabase, type Database } from "../../../src/store/database.ts";
import { readLease, takeLease } from "../../../src/store/lease.ts";
import { ensureMesh } from "../../../src/store/meshes.ts";
import { listTold, type ToldRecord } from "../../../src/store/pushes.ts";
import { roleName } from "../../../src/store/writers/database-role.ts";
import { sayRefusals } from "../../../src/worker/say-refusals.ts";
import { createControllerClient, type ControllerClient, type PushOrder } from "../../../src/worker/client.ts";
import { situationLimits } from "../../../src/worker/situation-limits.ts";
import { createFreshDatabase } from "../../support/fresh-database.ts";
import { bundleWorkflows } from "../../support/workflow-bundle.ts";

/** One controller's workers over real records and a real Temporal, in this process. */
export interface FlowMesh {
  readonly mesh: string;
  readonly db: Database;
  readonly databaseUrl: string;
  readonly client: Client;
  readonly controller: ControllerClient;
  /** A push by name, until it ended: its result and what every node was told. */
  push(named: readonly string[], order?: Partial<PushOrder>): Promise<{ result: PushResult; told: ToldRecord[] }>;
  /** Ends this controller's workers; others may take over. */
  stopWorkers(): Promise<void>;
  /** A new epoch and new workers, as a controller that takes over. */
  takeOver(): Promise<void>;
  close(): Promise<void>;
}

// Tests print their own verdicts; of Temporal only what is wrong.
Runtime.install({ logger: new DefaultLogger("ERROR"), shutdownSignals: [] });

/** `login`: the controller's connections are made by a role of that name and password, and not by the owner. */
export async function openFlowMesh(login?: { readonly user: string; readonly password: string }): Promise<FlowMesh> {
  const database = await createFreshDatabase();
  const db = openDatabase({
    url: database.url,
    maxConnections: 10,
    applicationName: "flow",
    statementTimeoutMs: 20_000,
  });
  const mesh = `flow-${randomBytes(4).toString("hex")}`;
  await ensureMesh(db, mesh);
  const native = await NativeConnection.connect({ address: inject("temporalAddress") });
  const connection = await Connection.connect({ address: inject("temporalAddress") });
  const client = new Client({ connection });
  const controller = createControllerClient(client, () => connection.close());
  const acting = openDatabase({
    url: login === undefined ? database.url : await makeLogin(db, database.url, login),
    role: "controller",
    maxConnections: 10,
    applicationName: "flow-controller",
    statementTimeoutMs: 20_000,
  });
  let running = await startWorkers({ db: acting, mesh, native });
  return {
    mesh,
    db,
    databaseUrl: database.url,
    client,
    controller,
    async push(named, order = {}) {
      const started = await controller.startPush({
        mesh,
        kind: "named",
        named,
        requestedBy: "test",
        why: "",
        confirmRemoval: false,
        ...order,
      });
      const result = await started.result();
      return { result, told: await listTold(db, mesh, started.pushId) };
    },
    stopWorkers: () => running.stop(),
    async takeOver() {
      running = await startWorkers({ db: acting, mesh, native });
    },
    async close() {
      await running.stop();
      await controller.close();
      await native.close();
      await acting.end();
      await db.end();
      await database.drop();
    },
  };
}

async function makeLogin(db: Database, url: string, login: { user: string; password: string }): Promise<string> {
  await db.query(`create role ${login.user} login password '${login.password}' in role ${roleName("controller")}`);
  const address = new URL(url);
  [address.username, address.password] = [login.user, login.password];
  return address.href;
}

async function startWorkers(on: {
  db: Database;
  mesh: string;
  native: NativeConnection;
}): Promise<{ stop(): Promise<void> }> {
  const { db, mesh, native } = on;
  const before = await readLease(db, mesh);
  const lease = await takeLease(db, { mesh, holder: `flow/${process.pid}`, ageMs: 15_000, seen: before });
  if (lease === null) throw new Error("the lease moved while it was taken");
  const declarationKey = generateSigningKey();
  const deliver = createDeliverActivities({
    records: createPushRecords(db, mesh),
    mesh,
    epoch: lease.epoch,
    mayAct: () => true,
    signDeclaration: (declaration) => sealDeclaration(declaration, [declarationKey]),
    sealSecret,
    staleAfterMs: 86_400_000,
    nowMs: Date.now,
    makePassword: () => randomBytes(18).toString("base64url"),
    onDeadEpoch: () => undefined,
  });
  const control = createControlActivities({
    db,
    records: createPushRecords(db, mesh),
    mesh,
    repositories: createRepositoryPool("/nonexistent"),
    silent: createSilentSources(1_000),
    imports: createMemoryImportCache(),
    describeToolchains: () => ({}),
    builders: {},
    settingsFor: () => ({}),
    lostAfterMs: 60_000,
    starvedAfterMs: 60_000,
    limits: situationLimits({ silentAfterMs: 60_000, pollIntervalMs: 5_000 }),
    nowMs: Date.now,
    random: Math.random,
    makeSuffix: () => randomBytes(2).toString("hex"),
  });
  const refusals = { db, mesh, log: pino({ level: "silent" }), who: roleName("controller"), retryMs: 200 };
  const shared = {
    connection: native,
    namespace: "default",
    stickyQueueScheduleToStartTimeout: "1 second",
    interceptors: { activity: [sayRefusals(refusals)] },
  };
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue: controlQueue(mesh),
      workflowBundle: await bundleWorkflows(),
      activities: control,
    }),
    await Worker.create({ ...shared, taskQueue: deliverQueue(mesh), activities: deliver }),
  ];
  const runs = workers.map((worker) => worker.run());
  let stopped = false;
  return {
    async stop() {
      if (stopped) return;
      stopped = true;
      for (const worker of workers) worker.shutdown();
      await Promise.all(runs);
    },
  };
}
