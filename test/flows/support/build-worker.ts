import { readFile } from "node:fs/promises";
import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";
import { createBuildActivities } from "../../../src/activities/build.ts";
import { createRepositoryPool } from "../../../src/activities/repository-pool.ts";
import { openArtifactStore } from "../../../src/build/artifact-store.ts";
import { openSandboxes } from "../../../src/build/open-sandbox.ts";
import { createToolchainWatch, describeBuilder } from "../../../src/build/toolchain.ts";
import { languageSchema } from "../../../src/core/manifest.ts";
import { buildQueue } from "../../../src/decide/ids.ts";
import { generateSigningKey } from "../../../src/link/keys.ts";
import { openDatabase } from "../../../src/store/database.ts";

/** A process that takes the builds of one mesh, for tests that kill it: `tsx build-worker.ts CONFIG.json`. */
export interface BuildWorkerConfig {
  readonly mesh: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly folders: {
    readonly artifacts: string;
    readonly repositories: string;
    readonly builds: string;
    readonly cache: string;
  };
  readonly lostAfterMs: number;
}

Runtime.install({ logger: new DefaultLogger("ERROR") });
// The test wrote it.
const config = JSON.parse(await readFile(process.argv[2] ?? "", "utf8")) as BuildWorkerConfig;
const languages = languageSchema.options;
const sandboxes = await openSandboxes(false);
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: config.temporalAddress }),
  namespace: "default",
  taskQueue: buildQueue(config.mesh),
  activities: createBuildActivities({
    db: openDatabase({
      url: config.databaseUrl,
      role: "builder",
      maxConnections: 4,
      applicationName: "build-worker",
      statementTimeoutMs: 20_000,
    }),
    mesh: config.mesh,
    repositories: createRepositoryPool(config.folders.repositories),
    artifacts: await openArtifactStore(config.folders.artifacts),
    sandboxFor: sandboxes.sandboxFor,
    settingsFor: sandboxes.settingsFor,
    folders: { work: config.folders.builds, cache: config.folders.cache },
    describeToolchains: createToolchainWatch(),
    builders: Object.fromEntries(languages.map((language) => [language, describeBuilder(language)])),
    registries: {},
    limits: {},
    lostAfterMs: config.lostAfterMs,
    nowMs: Date.now,
    random: Math.random,
    builder: { key: generateSigningKey(), version: "0.0.0" },
  }),
});
await worker.run();
