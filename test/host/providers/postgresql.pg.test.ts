import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import { createPostgresqlProvider } from "../../../src/host/providers/postgresql.ts";
import type { ProviderAccess, WantedGrant } from "../../../src/host/providers/provider.ts";
import { concludeGrants, diffGrants } from "../../../src/host/resources/grant.ts";
import { makePostgresAccess } from "./support/postgres-access.ts";
import { raiseProxy } from "./support/raise-proxy.ts";

const admin = new URL(inject("postgresAdminUrl"));
const provider = createPostgresqlProvider(Date.now);
let access: ProviderAccess;
let names: string[] = [];
const open: pg.Client[] = [];

/** Each test is a mesh of its own: they share the server. */
beforeEach(() => {
  access = makePostgresAccess(admin);
});

afterEach(async () => {
  for (const client of open.splice(0)) await client.end().catch(() => undefined);
  for (const name of names) {
    await asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await asAdmin(`DROP ROLE IF EXISTS ${name}`);
  }
  names = [];
});

const hosts = { consumer: "fedcba9876543210", provider: "0123456789abcdef" };

function grantFor(consumer: string, version = 1, { consumer: from, provider: to } = hosts): WantedGrant {
  const name = `${consumer}_${access.mesh}`;
  if (!names.includes(name)) names.push(name);
  const provision = `node-a.${consumer}.database.${from}@node-b.postgres.${to}`;
  return { provision, version, name, password: randomBytes(24).toString("base64url") };
}

async function asAdmin(sql: string, database = "postgres"): Promise<pg.QueryResult> {
  const url = new URL(admin);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function login(grant: WantedGrant, database = grant.name): Promise<pg.Client> {
  const { hostname: host, port } = admin;
  const client = new pg.Client({ host, port: Number(port), user: grant.name, password: grant.password, database });
  client.on("error", () => undefined);
  await client.connect();
  open.push(client);
  return client;
}

/** As the host does: read, compare, change what differs. */
async function apply(...grants: WantedGrant[]): Promise<void> {
  const observed = await provider.readGrants(access, grants);
  const wanted = new Set(grants.map(({ provision }) => provision));
  await provider.withdrawGrants(
    access,
    observed.filter((each) => each.access && !wanted.has(each.provision)),
  );
  await provider.issueGrants(access, grants);
}

async function conclusion(...grants: WantedGrant[]) {
  return concludeGrants({ access, grants }, await provider.readGrants(access, grants));
}

describe("PostgreSQL as a provider", () => {
  it("mints a database that its consumer can use, twice without a difference (R17)", async () => {
    const grant = grantFor("web");
    expect(diffGrants({ access, grants: [grant] }, await provider.readGrants(access, [grant]))?.found).toContain(
      "not there",
    );
    await apply(grant);
    await apply(grant);
    expect(await conclusion(grant)).toEqual({
      state: "applied",
      message: "1 granted",
      provisions: [{ provision: grant.provision, version: 1 }],
    });
    const client = await login(grant);
    await client.query("CREATE TABLE rows (id integer)");
    await client.query("CREATE SCHEMA more");
  });

  it("keeps consumers out of each other's databases, and from their own marker", async () => {
    const [one, two] = [grantFor("web"), grantFor("shop")];
    await apply(one, two);
    await expect(login(one, two.name)).rejects.toMatchObject({ code: "42501" });
    const client = await login(one);
    await expect(client.query(`COMMENT ON DATABASE ${one.name} IS 'mine'`)).rejects.toThrow("must be owner");
    await expect(client.query(`COMMENT ON ROLE ${one.name} IS 'mine'`)).rejects.toThrow();
    await expect(client.query(`DROP DATABASE ${one.name}`)).rejects.toThrow();
  });

  it("calls no function of a consumer's, where everybody may create beside the server's own (R46)", async () => {
    const [planter, other] = [grantFor("web"), grantFor("shop")];
    await apply(planter, other);
    // As it is on PostgreSQL 14, and stays where such a cluster is brought to a later one.
    await asAdmin("GRANT CREATE ON SCHEMA public TO PUBLIC");
    try {
      const client = await login(planter, "postgres");
      // Each fits the host's call better than the server's own: (oid, name), and (integer, bigint).
      await client.query(`
        CREATE TABLE public.called (by text);
        CREATE FUNCTION public.shobj_description(oid, text) RETURNS text LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO public.called VALUES (current_user); RETURN pg_catalog.shobj_description($1, $2::name); END $$;
        CREATE FUNCTION public.pg_terminate_backend(integer, integer) RETURNS boolean LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO public.called VALUES (current_user); RETURN pg_catalog.pg_terminate_backend($1, $2::bigint); END $$`);
      await login(other);
      await apply(planter);
      expect((await asAdmin("SELECT by FROM public.called")).rows).toEqual([]);
      expect((await conclusion(planter)).state).toBe("applied");
    } finally {
      await asAdmin("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
      await asAdmin(`DROP OWNED BY ${planter.name}`);
    }
  });

  it("withdraws access from what is not on the list: open sessions too, and keeps the data (R20)", async () => {
    const [one, two] = [grantFor("web"), grantFor("shop")];
    await apply(one, two);
    const client = await login(one);
    await client.query("CREATE TABLE rows AS SELECT 42 AS id");
    const ended = new Promise((resolve) => client.once("end", resolve));
    await apply(two);
    await ended;
    await expect(login(one)).rejects.toThrow(/is not permitted to log in|password authentication failed/);
    await (await login(two)).query("SELECT 1");
    expect((await conclusion(two)).message).toBe("1 granted, 1 withdrawn with the data kept");
    expect((await conclusion(two)).provisions).toEqual([{ provision: two.provision, version: 1 }]);
    expect((await asAdmin("SELECT id FROM rows", one.name)).rows).toEqual([{ id: 42 }]);
  });

  it("withdraws also while another one's login has no answer: whoever holds all connections is put out, too", async () => {
    const [one, two] = [grantFor("web"), grantFor("shop")];
    await apply(one, two);
    const proxy = await raiseProxy(admin, `user\0${two.name}\0`);
    access = { ...access, admin: `127.0.0.1:${proxy.port}` };
    try {
      await apply(two);
      expect(await conclusion(two)).toMatchObject({
        state: "failed",
        message: expect.stringContaining("its login fails"),
      });
    } finally {
      await proxy.close();
    }
    await expect(login(one)).rejects.toThrow(/is not permitted to log in|password authentication failed/);
  });

  it("gives the same database back under a new version, never the old password", async () => {
    const one = grantFor("web");
    await apply(one);
    await (await login(one)).query("CREATE TABLE rows AS SELECT 42 AS id");
    await apply();
    const again = grantFor("web", 2);
    await apply(again);
    expect((await conclusion(again)).provisions).toEqual([{ provision: again.provision, version: 2 }]);
    expect((await (await login(again)).query("SELECT id FROM rows")).rows).toEqual([{ id: 42 }]);
    await expect(login(one)).rejects.toMatchObject({ code: "28P01" });
  });

  it("finds what somebody changed, says it and mends it (R44, case 48)", async () => {
    const grant = grantFor("web");
    await apply(grant);
    const changes: [string, RegExp][] = [
      [`ALTER ROLE ${grant.name} NOLOGIN`, /without access/],
      [`ALTER ROLE ${grant.name} PASSWORD 'other'`, /another password/],
      [`ALTER ROLE ${grant.name} CREATEDB`, /more rights/],
      [`ALTER ROLE ${grant.name} CONNECTION LIMIT 0`, /connections are limited/],
      [`GRANT CONNECT ON DATABASE ${grant.name} TO PUBLIC`, /everybody may connect/],
      [`ALTER DATABASE ${grant.name} CONNECTION LIMIT 0`, /its database is not open/],
      [`ALTER DATABASE ${grant.name} ALLOW_CONNECTIONS false`, /its database is not open/],
      [`COMMENT ON DATABASE ${grant.name} IS NULL`, /is not marked/],
      [`DROP DATABASE ${grant.name} WITH (FORCE)`, /its database is not there/],
    ];
    for (const [sql, words] of changes) {
      await asAdmin(sql);
      const difference = diffGrants({ access, grants: [grant] }, await provider.readGrants(access, [grant]));
      expect(difference?.found, sql).toMatch(words);
      await apply(grant);
      expect((await conclusion(grant)).state, sql).toBe("applied");
    }
  });

  it.each([
    { who: "its consumer's host", now: { ...hosts, consumer: "another-host" } },
    { who: "the provider's host", now: { ...hosts, provider: "another-host" } },
    { who: "both hosts", now: { consumer: "another-host", provider: "another-host" } },
  ])("gives the same database, and no old password, where $who was enrolled anew (case 22, R46)", async ({ now }) => {
    const before = grantFor("web");
    await apply(before);
    await (await login(before)).query("CREATE TABLE rows (id integer)");
    const after = grantFor("web", 1, now);
    await apply(after);
    expect(await conclusion(after)).toEqual({
      state: "applied",
      message: "1 granted",
      provisions: [{ provision: after.provision, version: 1 }],
    });
    await (await login(after)).query("SELECT id FROM rows");
    await expect(login(before)).rejects.toMatchObject({ code: "28P01" });
  });

  it("gives the same database again to one that was enrolled anew after its access was withdrawn (R20, R46)", async () => {
    const before = grantFor("web");
    await apply(before);
    await (await login(before)).query("CREATE TABLE rows (id integer)");
    await apply();
    const after = grantFor("web", 1, { ...hosts, consumer: "another-host" });
    await apply(after);
    expect((await conclusion(after)).state).toBe("applied");
    await (await login(after)).query("SELECT id FROM rows");
  });

  it("never takes what it made for another consumer, whatever name that has", async () => {
    const [mine, other] = [grantFor("web"), grantFor("shop")];
    await apply(other);
    await expect(apply(other, { ...mine, name: other.name })).rejects.toThrow("was not made for");
  });

  it("makes a dropped user again on the database that is still there (case 48)", async () => {
    const grant = grantFor("web");
    await apply(grant);
    await asAdmin(`REASSIGN OWNED BY ${grant.name} TO CURRENT_USER; DROP OWNED BY ${grant.name}`, grant.name);
    await asAdmin(`REVOKE ALL ON DATABASE ${grant.name} FROM ${grant.name}; DROP ROLE ${grant.name}`);
    expect((await conclusion(grant)).message).toContain("not there");
    await apply(grant);
    await (await login(grant)).query("CREATE TABLE rows (id integer)");
    expect((await conclusion(grant)).state).toBe("applied");
  });

  it("never takes what it did not make: a role, a database, another mesh's, another provider's", async () => {
    const [role, database, foreign] = [grantFor("role"), grantFor("base"), grantFor("foreign")];
    await asAdmin(`CREATE ROLE ${role.name} LOGIN`);
    await asAdmin(`CREATE DATABASE ${database.name}`);
    await asAdmin(
      `CREATE ROLE ${foreign.name} LOGIN; COMMENT ON ROLE ${foreign.name} IS 'mesh:other:${foreign.provision}:1'`,
    );
    const good = grantFor("good");
    await expect(apply(role, database, foreign, good)).rejects.toThrow("was not made for");
    // The bad ones hold back nobody else.
    expect((await conclusion(good)).state).toBe("applied");
    expect((await provider.readGrants(access, [])).map(({ name }) => name)).toEqual([good.name]);
    await apply();
    expect(
      (await asAdmin(`SELECT rolcanlogin FROM pg_roles WHERE rolname = '${foreign.name}'`)).rows[0].rolcanlogin,
    ).toBe(true);
  });

  it("completes what a kill has cut between role, database and marker (R44)", async () => {
    const grant = grantFor("web");
    await apply(grant);
    await asAdmin(`COMMENT ON DATABASE ${grant.name} IS NULL; GRANT CONNECT ON DATABASE ${grant.name} TO PUBLIC`);
    await apply(grant);
    expect((await conclusion(grant)).state).toBe("applied");
  });

  it("gives a new version to a consumer that has dropped its schema public, and makes it no other (case 48)", async () => {
    const grant = grantFor("web");
    await apply(grant);
    const before = await login(grant);
    await before.query("DROP SCHEMA public; CREATE SCHEMA app; CREATE TABLE app.kept (row int)");
    await apply(grant);
    const next = grantFor("web", 2);
    await apply(next);
    expect((await conclusion(next)).state).toBe("applied");
    const after = await login(next);
    const schemas = await after.query("SELECT nspname FROM pg_namespace WHERE nspname IN ('public', 'app')");
    expect(schemas.rows).toEqual([{ nspname: "app" }]);
  });

  it("says that nobody answers, and never that nothing is there (R26); no message holds a password", async () => {
    const away = { ...access, admin: "127.0.0.1:1" };
    await expect(provider.readGrants(away, [])).rejects.toThrow(UnavailableError);
    const wrong = { ...access, adminPassword: "canary-of-the-admin" };
    const refused = await provider.readGrants(wrong, []).then(
      () => "no failure",
      (error: unknown) => String(error),
    );
    expect(refused).toContain("password authentication failed");
    expect(refused).not.toContain("canary");
  });

  it("puts no password into a statement", async () => {
    const grant = grantFor("web");
    await apply(grant);
    const kept = await asAdmin(`SELECT rolpassword FROM pg_authid WHERE rolname = '${grant.name}'`);
    expect(kept.rows[0].rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/);
  });
});
