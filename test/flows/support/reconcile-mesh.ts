import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { DefaultLogger, NativeConnection, Runtime, type Worker } from "@temporalio/worker";
import { pino } from "pino";
import { inject } from "vitest";
import { createSilentSources } from "../../../src/activities/silent-sources.ts";
import { createRepositoryPool } from "../../../src/activities/repository-pool.ts";
import { openArtifactStore, type ArtifactStore } from "../../../src/build/artifact-store.ts";
import { openSandboxes, type Sandboxes } from "../../../src/build/open-sandbox.ts";
import { createToolchainWatch, describeBuilder } from "../../../src/build/toolchain.ts";
import { languageSchema } from "../../../src/core/manifest.ts";
import { buildQueue, reconcileWorkflowId } from "../../../src/decide/ids.ts";
import { generateSigningKey } from "../../../src/link/keys.ts";
import { openDatabase, type Database } from "../../../src/store/database.ts";
import { ensureMesh } from "../../../src/store/meshes.ts";
import { addModule } from "../../../src/store/modules.ts";
import { addRepository } from "../../../src/store/repositories.ts";
import type { DatabaseRole } from "../../../src/store/writers/database-role.ts";
import { createControllerClient, type ControllerClient } from "../../../src/worker/client.ts";
import { createWorkers, runWorkers } from "../../../src/worker/create-workers.ts";
import { acquireLease, systemClock, type Lease } from "../../../src/worker/lease-keeper.ts";
import { openLeaseStore } from "../../../src/worker/lease-store.ts";
import { closeDatabases, type ControllerParts } from "../../../src/worker/open-parts.ts";
import type { Trust } from "../../../src/worker/trust.ts";
import type { ServeConfig } from "../../../src/worker/serve-config.ts";
import { watchSources, type SourceWatch } from "../../../src/worker/watch-sources.ts";
import { startReadingThread } from "../../../src/worker/start-reading-thread.ts";
import { createFreshDatabase } from "../../support/fresh-database.ts";
import { createGitRepository, type GitRepository } from "../../support/git-repository.ts";
import { bundleWorkflows } from "../../support/workflow-bundle.ts";
import { createBuildGates, type BuildGates } from "./build-gates.ts";
import { waitUntil } from "./wait-until.ts";

/** A whole controller in this process, made of the parts that `mesh serve` is made of, over a repository of its own. */
export interface ReconcileMesh {
  readonly mesh: string;
  readonly db: Database;
  readonly client: Client;
  readonly controller: ControllerClient;
  readonly config: ServeConfig;
  readonly parts: ControllerParts;
  readonly lease: Lease;
  readonly lost: readonly string[];
  readonly origin: GitRepository;
  readonly gates: BuildGates;
  readonly artifacts: ArtifactStore;
  /** Every wake that the watch or a test asked for. */
  readonly wakes: string[];
  /** Registers folders of the repository `source` as modules. */
  addModules(...names: string[]): Promise<void>;
  wake(why: string): Promise<void>;
  /** *Go and look*, and waits until a look that began after this has come to its end, with all it started. */
  look(why?: string): Promise<void>;
  /** Until the loop sleeps and nothing waits for it. */
  asleep(): Promise<void>;
  /** Asks for tips as the controller's process does. */
  watch(pollIntervalMs: number): SourceWatch;
  close(): Promise<void>;
}

// Tests print their own verdicts; of Temporal only what is wrong.
Runtime.install({
  logger: new DefaultLogger("ERROR"),
  shutdownSignals: [],
  telemetryOptions: { logging: { filter: { core: "ERROR", other: "ERROR" }, forward: {} } },
});

let sandboxes: Promise<Sandboxes> | undefined;

export interface ReconcileParts {
  /** Instead of this machine's. */
  readonly sandboxes?: Sandboxes;
  /** `elsewhere`: this process takes no builds. */
  readonly builds?: "here" | "elsewhere";
}

export async function openReconcileMesh(
  settings: Partial<ServeConfig> = {},
  instead: ReconcileParts = {},
): Promise<ReconcileMesh> {
  const database = await createFreshDatabase();
  const folder = await mkdtemp(join(tmpdir(), "mesh-reconcile-"));
  const db = openDatabase({
    url: database.url,
    maxConnections: 12,
    applicationName: "reconcile-flow",
    statementTimeoutMs: 20_000,
  });
  const mesh = `flow-${randomBytes(4).toString("hex")}`;
  await ensureMesh(db, mesh);
  const origin = await createGitRepository();
  await addRepository(db, mesh, { name: "source", url: origin.dir });
  const gates = createBuildGates();
  const config = { ...configOf(mesh, database.url, folder), ...settings };
  const artifacts = await openArtifactStore(config.folders.artifacts);
  const parts = await createParts(config, gates.around(artifacts), instead);
  const native = await NativeConnection.connect({ address: config.temporal.address });
  const connection = await Connection.connect({ address: config.temporal.address });
  const client = new Client({ connection });
  const controller = createControllerClient(client, () => connection.close());
  const lost: string[] = [];
  const leases = openLeaseStore(config, "controller");
  const lease = await acquireLease(leases.store, systemClock, {
    signal: new AbortController().signal,
    onWaiting: () => undefined,
    onLost: (why) => lost.push(why),
  });
  const stop = new AbortController();
  const { code } = await bundleWorkflows();
  const workers = await createWorkers({
    config,
    parts,
    lease,
    connection: native,
    workflowBundle: code,
    onDeadEpoch: (error) => lost.push(error.message),
  });
  const running = runWorkers(instead.builds === "elsewhere" ? await endBuilder(mesh, workers) : workers, stop.signal);
  const wakes: string[] = [];
  const wake = async (why: string): Promise<void> => {
    wakes.push(why);
    await controller.wakeReconcile({ mesh, why });
  };
  const asleep = (): Promise<void> => waitUntil("reconcile sleeps", async () => isAsleep(client, mesh), 120_000);
  const watches: SourceWatch[] = [];
  return {
    mesh,
    db,
    client,
    controller,
    config,
    parts,
    lease,
    lost,
    origin,
    gates,
    artifacts,
    wakes,
    async addModules(...names) {
      for (const name of names) await addModule(db, mesh, { name, repository: "source", branch: "main", path: name });
    },
    wake,
    asleep,
    async look(why = "a test asks") {
      await wake(why);
      await asleep();
    },
    watch(pollIntervalMs) {
      const { describeToolchains, log, look } = parts;
      const { lostAfterMs } = config;
      const random = (): number => 0.5;
      const watch = watchSources({ ...look, describeToolchains, pollIntervalMs, lostAfterMs, wake, log, random });
      watches.push(watch);
      return watch;
    },
    async close() {
      await Promise.all(watches.map((watch) => watch.stop()));
      gates.releaseAll();
      if (wakes.length > 0) {
        await asleep();
        await client.workflow.getHandle(reconcileWorkflowId(mesh)).terminate();
      }
      stop.abort();
      await running;
      await lease.release();
      await leases.end();
      await controller.close();
      await native.close();
      await closeDatabases(parts);
      await db.end();
      await database.drop();
      await origin.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configOf(mesh: string, databaseUrl: string, folder: string): ServeConfig {
  return {
    mesh,
    holder: `flow/${process.pid}`,
    databaseUrl,
    temporal: { address: inject("temporalAddress"), namespace: "default" },
    gateway: {
      host: "127.0.0.1",
      port: 0,
      certificateFile: join(folder, "cert"),
      certificateKeyFile: join(folder, "key"),
      authorityFile: join(folder, "authority"),
      authorityKeyFile: join(folder, "authority-key"),
    },
    keys: { declarationKeyFile: "", provenanceKeyFile: "", rootFile: "" },
    folders: {
      artifacts: join(folder, "artifacts"),
      repositories: join(folder, "repositories"),
      builds: join(folder, "builds"),
      cache: join(folder, "cache"),
    },
    asks: { folder: join(folder, "ask"), state: "", setup: "" },
    watchedFolders: [folder],
    webhooks: { forge: { forge: "github", repository: "source", secrets: ["a-secret-of-this-test"] } },
    workflowBundleFile: "",
    pollIntervalMs: 5_000,
    staleAfterMs: 86_400_000,
    silentAfterMs: 60_000,
    buildSlots: 2,
    lostAfterMs: 120_000,
    starvedAfterMs: 60_000,
    credentials: {},
    unsafeWithoutSandbox: false,
    passwordPrefix: "",
    logLevel: "error",
  };
}

/** Before there is anything to build. */
async function endBuilder(mesh: string, workers: readonly Worker[]): Promise<Worker[]> {
  const builder = workers.filter((worker) => worker.options.taskQueue === buildQueue(mesh));
  const runs = builder.map((worker) => worker.run());
  for (const worker of builder) worker.shutdown();
  await Promise.all(runs);
  return workers.filter((worker) => !builder.includes(worker));
}

async function createParts(
  config: ServeConfig,
  artifacts: ArtifactStore,
  instead: ReconcileParts,
): Promise<ControllerParts> {
  const languages = languageSchema.options;
  const open = (role: DatabaseRole): Database =>
    openDatabase({
      url: config.databaseUrl,
      role,
      maxConnections: 8,
      applicationName: `flow-${role}`,
      statementTimeoutMs: 20_000,
    });
  const db = open("controller");
  const log = pino({ level: "silent" });
  return {
    log,
    roles: { enforced: true },
    db,
    readDb: open("controller"),
    gatewayDb: open("gateway"),
    builderDb: open("builder"),
    look: {
      db,
      mesh: config.mesh,
      thread: startReadingThread(log),
      silent: createSilentSources(config.pollIntervalMs),
      repositories: createRepositoryPool(config.folders.repositories),
    },
    artifacts,
    sandboxes: instead.sandboxes ?? (await (sandboxes ??= openSandboxes(false))),
    trust: createFixedTrust(config.mesh),
    builder: { key: generateSigningKey(), version: "0.0.0" },
    describeToolchains: createToolchainWatch(),
    builders: Object.fromEntries(languages.map((language) => [language, describeBuilder(language)])),
  };
}

/** Keys that nothing replaces; no host reads the root. */
function createFixedTrust(mesh: string): Trust {
  const key = generateSigningKey();
  return {
    root: { schema: 1, mesh, version: 1, threshold: 1, keys: [] },
    rootBytes: Buffer.from("no host reads this"),
    signingKey: () => key,
    missingKey: () => null,
    builderKey: key,
    renew: (envelope) => envelope,
    dropEpoch: (envelope) => envelope,
    refresh: async () => ({ refused: null, gaps: [] }),
    saveRoots: async () => {},
  };
}

/** The query is answered behind every signal that the server took before it. */
async function isAsleep(client: Client, mesh: string): Promise<boolean> {
  const handle = client.workflow.getHandle(reconcileWorkflowId(mesh));
  const metadata = await handle.query<{ currentDetails?: string }>("__temporal_workflow_metadata");
  return metadata.currentDetails?.startsWith("Asleep") === true;
}
