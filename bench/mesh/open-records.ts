import { randomBytes } from "node:crypto";
import { Worker } from "node:worker_threads";
import { createSilentSources } from "../../src/activities/silent-sources.ts";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { createImportCache } from "../../src/activities/import-cache.ts";
import { createPushRecords } from "../../src/activities/push-records.ts";
import { createRepositoryPool, type RepositoryPool } from "../../src/activities/repository-pool.ts";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { startPostgres } from "../../src/embedded/postgres.ts";
import type { ImportCache } from "../../src/source/imports/import-cache.ts";
import { createReadingThread } from "../../src/source/imports/reading-thread.ts";
import { openDatabase } from "../../src/store/database.ts";
import { ensureMesh } from "../../src/store/meshes.ts";
import { runMigrations } from "../../src/store/migrate.ts";
import { situationLimits } from "../../src/worker/situation-limits.ts";

/** The control activities' surroundings in this process, on a PostgreSQL of its own. No Temporal. */
export interface Records {
  readonly deps: ControlDependencies;
  readonly parsed: ParseCounter;
  readonly postgresql: string;
  /** The same clones, by somebody who has read nothing of them. */
  openClones(): RepositoryPool;
  /** With the password. */
  readonly url: string;
  close(): Promise<void>;
}

/** Files whose imports were read by the parser, and those that the cache knew. */
export interface ParseCounter {
  parsed: number;
  known: number;
}

export async function openRecords(): Promise<Records> {
  const folder = await mkdtemp(join(tmpdir(), "mesh-bench-records-"));
  await chmod(folder, 0o755);
  const server = await startPostgres({
    parent: folder,
    passwordFile: join(folder, "password"),
    port: await chooseFreePort(),
    logFile: join(folder, "postgres.log"),
    progress: () => undefined,
  });
  const db = openDatabase({
    url: server.url,
    maxConnections: 12,
    applicationName: "mesh-bench",
    statementTimeoutMs: 60_000,
  });
  await runMigrations(db);
  await ensureMesh(db, "bench");
  const parsed: ParseCounter = { parsed: 0, known: 0 };
  const thread = createReadingThread({
    // As a controller's: of the built code.
    start: () => new Worker(new URL("../../dist/source/imports/reading-thread-main.js", import.meta.url)),
    onFailed: (error) => {
      throw error;
    },
  });
  const openClones = (): RepositoryPool => createRepositoryPool(join(folder, "repositories"));
  return {
    openClones,
    deps: {
      db,
      mesh: "bench",
      repositories: openClones(),
      silent: createSilentSources(1_000),
      imports: countParses(createImportCache(db), parsed),
      thread,
      describeToolchains: () => ({ typescript: "bench" }),
      builders: {},
      settingsFor: () => ({}),
      records: createPushRecords(db, "bench"),
      lostAfterMs: 120_000,
      starvedAfterMs: 60_000,
      limits: situationLimits({ silentAfterMs: 90_000, pollIntervalMs: 3_000 }),
      nowMs: Date.now,
      random: Math.random,
      makeSuffix: () => randomBytes(2).toString("hex"),
    },
    parsed,
    postgresql: server.version ?? "unknown",
    url: server.url,
    async close() {
      await thread.close();
      await db.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function countParses(cache: ImportCache, counter: ParseCounter): ImportCache {
  return {
    async read(reader, blobs) {
      const found = await cache.read(reader, blobs);
      counter.known += found.size;
      return found;
    },
    async write(reader, imports) {
      counter.parsed += imports.size;
      await cache.write(reader, imports);
    },
  };
}
