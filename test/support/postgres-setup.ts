import { mkdtemp, readdir, readFile, rm, writeFile, chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { startPostgres } from "../../src/embedded/postgres.ts";
import { listWorkers } from "../../src/embedded/postmaster.ts";
import { isAlive, readProcessIdentity, type ProcessIdentity } from "../../src/embedded/process-identity.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** To the database `postgres`, as superuser. */
    readonly postgresAdminUrl: string;
    /** A database with all migrations in it, to be cloned; nobody connects to it. */
    readonly templateDatabase: string;
  }
}

const prefix = "mesh-test-postgres-";
const templateDatabase = "mesh_template";

interface TestServer {
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/** One server for all projects of a run: each project loads this file anew, so the server is kept on globalThis. */
const shared = globalThis as { meshTestPostgres?: { users: number; server: Promise<TestServer> } };

/** vitest's globalSetup: one PostgreSQL in a temp folder, its template database migrated, gone at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.meshTestPostgres ??= { users: 0, server: startTestServer() };
  const entry = shared.meshTestPostgres;
  entry.users += 1;
  const server = await entry.server;
  project.provide("postgresAdminUrl", server.adminUrl);
  project.provide("templateDatabase", templateDatabase);
  return async () => {
    entry.users -= 1;
    if (entry.users > 0) return;
    delete shared.meshTestPostgres;
    await server.stop();
  };
}

async function startTestServer(): Promise<TestServer> {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  await writeFile(join(folder, "owner.json"), JSON.stringify(readProcessIdentity(process.pid)));
  const log: string[] = [];
  try {
    const running = await startPostgres({
      parent: folder,
      passwordFile: join(folder, "password"),
      port: await chooseFreePort(),
      logFile: join(folder, "postgres.log"),
      settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" },
      progress: (line) => log.push(line),
    });
    const url = new URL(running.url);
    url.pathname = "/postgres";
    await makeTemplate(url.href);
    return {
      adminUrl: url.href,
      stop: async () => {
        await running.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`tests of the records need PostgreSQL: ${message}\n${log.join("\n")}`, { cause });
  }
}

async function makeTemplate(adminUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${templateDatabase}`);
  } finally {
    await admin.end();
  }
}

/** A run that was killed leaves its server and folder: they end with the next run. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    if (await isOwned(folder)) continue;
    for (const entry of await readdir(folder)) {
      if (!/^postgres-\d+$/.test(entry)) continue;
      for (const worker of await listWorkers(join(folder, entry))) process.kill(worker.pid, "SIGKILL");
    }
    await rm(folder, { recursive: true, force: true });
  }
}

async function isOwned(folder: string): Promise<boolean> {
  try {
    return isAlive(JSON.parse(await readFile(join(folder, "owner.json"), "utf8")) as ProcessIdentity);
  } catch {
    // Made this moment by another run, or of another user: leave it alone.
    return true;
  }
}
