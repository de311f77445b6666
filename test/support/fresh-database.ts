import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export interface FreshDatabase {
  readonly url: string;
  /** Closes whatever is connected, and removes it. */
  drop(): Promise<void>;
}

/** A migrated database of one's own, cloned from the template (13–28 ms). For projects with postgres-setup. */
export async function createFreshDatabase(): Promise<FreshDatabase> {
  const adminUrl = inject("postgresAdminUrl");
  const name = `test_${randomBytes(8).toString("hex")}`;
  await askAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${inject("templateDatabase")}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => askAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function askAdmin(url: string, sql: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await admin.query(sql);
  } finally {
    await admin.end();
  }
}
