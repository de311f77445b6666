import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { startPostgres } from "../../src/embedded/postgres.ts";
import { openDatabase } from "../../src/store/database.ts";
import { runMigrations } from "../../src/store/migrate.ts";
import { keepRoles } from "../../src/store/writers/keep-roles.ts";
import { useSharedServer, type SharedServer } from "./shared-server.ts";
import { makeTestFolder, removeLeftoverFolders } from "./test-folder.ts";

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
const connection = { maxConnections: 1, applicationName: "mesh-tests", statementTimeoutMs: 60_000 };

interface TestPostgres extends SharedServer {
  readonly adminUrl: string;
}

/** vitest's globalSetup: one PostgreSQL in a temp folder, its template database migrated, gone at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { server, release } = await useSharedServer("postgres", startTestPostgres, isTestPostgres);
  project.provide("postgresAdminUrl", server.adminUrl);
  project.provide("templateDatabase", templateDatabase);
  return release;
}

function isTestPostgres(server: SharedServer): server is TestPostgres {
  return "adminUrl" in server;
}

async function startTestPostgres(): Promise<TestPostgres> {
  await removeLeftoverFolders(prefix);
  const folder = await makeTestFolder(prefix);
  const log: string[] = [];
  try {
    const running = await startPostgres({
      parent: folder,
      passwordFile: join(folder, "password"),
      port: await chooseFreePort(),
      logFile: join(folder, "postgres.log"),
      // Nothing here outlives the run, so nothing waits for a disk.
      settings: {
        fsync: "off",
        synchronous_commit: "off",
        full_page_writes: "off",
        max_connections: "200",
        // Tests of the order read when what was committed.
        track_commit_timestamp: "on",
      },
      progress: (line) => log.push(line),
    });
    const url = new URL(running.url);
    url.pathname = "/postgres";
    await makeTemplate(url);
    const stop = async (): Promise<void> => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    };
    return { adminUrl: url.href, stop };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`these tests need PostgreSQL: ${message}\n${log.join("\n")}`, { cause });
  }
}

async function makeTemplate(adminUrl: URL): Promise<void> {
  const admin = openDatabase({ ...connection, url: adminUrl.href });
  try {
    await admin.query(`CREATE DATABASE ${templateDatabase}`);
  } finally {
    await admin.end();
  }
  const template = openDatabase({ ...connection, url: new URL(`/${templateDatabase}`, adminUrl).href });
  try {
    await runMigrations(template);
    const roles = await keepRoles(template);
    if (!roles.enforced) throw new Error(`the tests' own server does not let roles be made: ${roles.why}`);
  } finally {
    await template.end();
  }
}
