import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { createPostgresqlProvider } from "../../../src/host/providers/postgresql.ts";
import { makePostgresAccess } from "./support/postgres-access.ts";

const admin = new URL(inject("postgresAdminUrl"));

async function ask(database: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: new URL(`/${database}`, admin).href });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

it("a consumer's database has nothing of what another one left in template1, where all may log in (R46)", async () => {
  const access = makePostgresAccess(admin);
  const name = `shop_${access.mesh}`;
  const planted = `planted_${randomBytes(4).toString("hex")}`;
  onTestFinished(async () => {
    await ask("template1", `DROP FUNCTION IF EXISTS public.${planted}()`);
    await ask("postgres", `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await ask("postgres", `DROP ROLE IF EXISTS ${name}`);
  });
  await ask("template1", `CREATE FUNCTION public.${planted}() RETURNS text LANGUAGE sql AS 'select ''mine'''`);
  const provision = "node-a.shop.database.fedcba9876543210@node-b.postgres.0123456789abcdef";
  const password = randomBytes(24).toString("base64url");
  await createPostgresqlProvider(Date.now).issueGrants(access, [{ provision, version: 1, name, password }]);
  const found = await ask(name, `SELECT count(*)::int AS found FROM pg_proc WHERE proname = '${planted}'`);
  expect(found.rows).toEqual([{ found: 0 }]);
});
