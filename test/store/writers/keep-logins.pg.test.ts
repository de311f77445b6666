import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { keepDatabaseLogins, readLoginAddresses, writeMissingLogins } from "../../../src/cli/database-logins.ts";
import { type MeshPaths, meshPaths } from "../../../src/cli/mesh-setup.ts";
import { InputError, RecordsRefusedError } from "../../../src/core/errors.ts";
import { openDatabase, type Database } from "../../../src/store/database.ts";
import { databaseRoles, roleName } from "../../../src/store/writers/database-role.ts";
import { addressAsLogin, loginRoles, makeLogins, type LoginRole } from "../../../src/store/writers/login.ts";
import { prepareDatabase } from "../../../src/worker/prepare-database.ts";
import type { DatabaseLogins } from "../../../src/worker/serve-config.ts";
import { dropLogins } from "../../support/drop-logins.ts";
import { mesh, openRecords, type Records } from "../open-records.ts";

/** What somebody has who took over the controller's process: its addresses, and any statement they like (R41). */
let records: Records;
let admin: Database;
let paths: MeshPaths;
let logins: DatabaseLogins;
const folders: string[] = [];
const owner = `owner_${randomBytes(5).toString("hex")}`;

async function newPaths(): Promise<MeshPaths> {
  const folder = await mkdtemp(join(tmpdir(), "mesh-logins-"));
  folders.push(folder);
  await mkdir(meshPaths(folder).secrets, { mode: 0o700 });
  return meshPaths(folder);
}

beforeAll(async () => {
  records = await openRecords();
  const options = { maxConnections: 2, applicationName: "mesh test", statementTimeoutMs: 20_000 };
  admin = openDatabase({ ...options, url: inject("postgresAdminUrl") });
  // As where somebody gives a database to us: its owner is no superuser.
  await admin.query(`create role ${owner} login createrole password 'of-the-owner'`);
  paths = await newPaths();
  expect(await keepDatabaseLogins(records.db, records.url, paths)).toBeNull();
  logins = (await readLoginAddresses(paths)) as DatabaseLogins;
});
afterAll(async () => {
  for (const folder of folders) {
    await dropLogins(admin, meshPaths(folder));
    await rm(folder, { recursive: true, force: true });
  }
  await records.close();
  await admin.query(`drop role if exists ${owner}`);
  await admin.end();
});

async function askAs(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function reach(url: string): Promise<string> {
  const { rows } = await askAs(
    url,
    `select string_agg(format('%s.%s %s', t.relname, a.attname, p.what), ' ' order by t.relname, a.attname, p.what) as columns,
            (select string_agg(d.relname, ' ' order by d.relname) from pg_class d
              where d.relkind in ('r', 'p') and d.relnamespace = 'public'::regnamespace
                and has_table_privilege(d.oid, 'delete')) as deletes
       from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped,
            unnest(array['select', 'insert', 'update']) as p(what)
      where t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace
        and has_column_privilege(t.oid, a.attnum, p.what)`,
  );
  return JSON.stringify(rows);
}

const nameIn = (url: string): string => new URL(url).username;

describe("a controller's own logins", () => {
  it.each(loginRoles)("as %s reach what the role does, and no more", async (role) => {
    const ofRole = new URL(records.url);
    ofRole.searchParams.set("options", `-c role=${roleName(role)}`);
    expect(await reach(logins[role])).toBe(await reach(ofRole.href));
  });

  const refusedTo = (role: LoginRole): readonly string[] => [
    `set role ${new URL(records.url).username}`,
    `set session authorization ${new URL(records.url).username}`,
    ...databaseRoles.filter((other) => other !== role).map((other) => `set role ${roleName(other)}`),
    ...loginRoles.filter((other) => other !== role).map((other) => `set role ${nameIn(logins[other])}`),
    `grant mesh_operator to ${nameIn(logins[role])}`,
    `alter role ${nameIn(logins[role])} createrole`,
    "create role climber login",
    "create table climber (id int)",
    "create schema climber",
    "create function climb() returns int language sql as 'select 1'",
    "create trigger climb before update on mesh for each row execute function suppress_redundant_updates_trigger()",
    "alter table mesh add column climber int",
    "alter table declaration disable trigger all",
    "drop table declaration",
    "truncate declaration",
    "alter table mesh owner to current_user",
    "insert into schema_migration (id, sha256) values ('9999-climb', '')",
    "insert into assignment select * from assignment",
    "delete from epoch_grant",
    "update account set mesh = 'x'",
    "copy mesh to program 'true'",
    "select pg_read_file('/etc/passwd')",
    "select rolpassword from pg_authid",
  ];
  it.each(loginRoles)("as %s are refused tables of their own, other roles' tables, and the owner", async (role) => {
    for (const sql of refusedTo(role)) {
      // What a host reported is the gateway's to write.
      if (role === "gateway" && sql.startsWith("update account")) continue;
      await expect(askAs(logins[role], sql), sql).rejects.toThrow(
        /permission denied|must be (owner|member|superuser)|must have/,
      );
    }
  });

  it.each(loginRoles)("as %s can give nothing on, which PostgreSQL only warns of", async (role) => {
    for (const what of ["select", "all"])
      await askAs(logins[role], `grant ${what} on all tables in schema public to public, mesh_viewer`).catch(
        () => undefined,
      );
    const { rows } = await records.db.query(
      `select t.relname from pg_class t, aclexplode(t.relacl) a
        where t.relnamespace = 'public'::regnamespace and a.grantor <> t.relowner or a.grantee = 0 and t.relkind = 'r'
          and t.relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([]);
  });

  it("may hear and wake, which has no rights, and which the gateway lives by", async () => {
    await askAs(logins.gateway, "listen mesh_declaration");
    await askAs(logins.controller, "select pg_notify('mesh_declaration', 'x')");
  });

  it("are kept by a verifier: no password is in the server", async () => {
    const { rows } = await admin.query(`select rolpassword from pg_authid where rolname = $1`, [
      nameIn(logins.builder),
    ]);
    expect(rows).toEqual([{ rolpassword: expect.stringMatching(/^SCRAM-SHA-256\$4096:/) }]);
    const wrong = new URL(logins.builder);
    wrong.password = "another";
    await expect(askAs(wrong.href, "select 1")).rejects.toThrow(/password authentication failed/);
  });

  it("are the same at the next start, and are mended where somebody changed them", async () => {
    const name = nameIn(logins.controller);
    await admin.query(`alter role ${name} password 'else'`);
    await admin.query(`grant mesh_operator to ${name}`);
    expect(await keepDatabaseLogins(records.db, records.url, paths)).toBeNull();
    expect(await readLoginAddresses(paths)).toEqual(logins);
    await expect(askAs(logins.controller, "set role mesh_operator")).rejects.toThrow(/permission denied/);
  });

  it("are not used when one of them could do more, and why is said", async () => {
    const name = nameIn(logins.builder);
    await admin.query(`alter role ${name} createdb`);
    expect(await keepDatabaseLogins(records.db, records.url, paths)).toBe(`${name} has attributes of an administrator`);
    expect(await readLoginAddresses(paths)).toBeNull();
    await admin.query(`alter role ${name} nocreatedb`);
    expect(await keepDatabaseLogins(records.db, records.url, paths)).toBeNull();
  });

  it("of which one address is missing are a mistake, not another way in", async () => {
    const text = await readFile(paths.loginAddresses.gateway, "utf8");
    await rm(paths.loginAddresses.gateway);
    await expect(readLoginAddresses(paths)).rejects.toThrow(InputError);
    await writeFile(paths.loginAddresses.gateway, text, { mode: 0o600 });
  });
});

describe("a controller that starts by its own logins", () => {
  const config = () => ({ databaseUrl: "postgresql://nobody@127.0.0.1:1/none", databaseLogins: logins, mesh });

  it("does without the owner's address", async () => {
    expect(await prepareDatabase(config())).toEqual({ enforced: true });
  });

  it("says whose it is to bring up older tables, to give a right, to make the mesh", async () => {
    const { rows } = await records.db.query(`delete from schema_migration where id like '0024-%' returning id, sha256`);
    const old = prepareDatabase(config());
    await expect(old).rejects.toThrow(/^the tables are older than this program: they lack 0024-/);
    await expect(old).rejects.toMatchObject({
      next: expect.stringMatching(/as their owner: mesh database roles --apply/),
    });
    const [row] = rows as { id: string; sha256: string }[];
    await records.db.query(`insert into schema_migration (id, sha256) values ($1, $2)`, [row?.id, row?.sha256]);

    await records.db.query(`revoke delete on wave from mesh_controller`);
    await expect(prepareDatabase(config())).rejects.toThrow(RecordsRefusedError);
    await records.db.query(`grant delete on wave to mesh_controller`);
    await expect(prepareDatabase({ ...config(), mesh: "other" })).rejects.toThrow(/know no mesh other/);
  });
});

describe("where the database's user may make no logins", () => {
  it("the controller goes in as the owner, until an administrator made them", async () => {
    const given = await newPaths();
    await admin.query(`alter role ${owner} nocreaterole`);
    const url = new URL(records.url);
    [url.username, url.password] = [owner, "of-the-owner"];
    const db = records.open({ url: url.href, maxConnections: 2 });
    expect(await keepDatabaseLogins(db, url.href, given)).toMatch(/permission denied to create role/);
    expect(await readLoginAddresses(given)).toBeNull();
    expect(existsSync(given.databaseLogins)).toBe(true);

    const script = await writeMissingLogins(db, given);
    const kept = JSON.parse(await readFile(given.databaseLogins, "utf8")) as { password: string }[];
    for (const { password } of kept) expect(script).not.toContain(password);
    await admin.query(script);
    expect(await keepDatabaseLogins(db, url.href, given)).toBeNull();
    expect(await writeMissingLogins(db, given)).toBe("");
  });
});

describe("the address of a login", () => {
  const [login] = makeLogins();
  if (login === undefined) throw new Error("no login was made");

  it.each([
    ["postgresql://mesh:secret@db.example:5433/shop?sslmode=verify-full", "db.example:5433/shop?sslmode=verify-full"],
    ["postgresql://mesh@[::1]/shop?user=other&password=secret", "[::1]/shop"],
  ])("is that of %s as another user", (from, to) => {
    expect(addressAsLogin(from, login)).toBe(`postgresql://${login.name}:${login.password}@${to}`);
  });

  it("is in the parameters where there is no host", () => {
    const url = addressAsLogin("postgresql:///shop?host=/run/postgresql", login);
    expect(new pg.Client({ connectionString: url })).toMatchObject({ user: login.name, password: login.password });
  });
});
