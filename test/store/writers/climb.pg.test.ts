import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { databaseRoles, roleName, roleOption, type DatabaseRole } from "../../../src/store/writers/database-role.ts";
import { openRecords, type Records } from "../open-records.ts";

/** Whether an identity of least rights can get at more by what it may send on its own connection (R41). */
let records: Records;
let admin: pg.Client;
const suffix = randomBytes(5).toString("hex");
const loginOf = (role: DatabaseRole): string => `climb_${role}_${suffix}`;
const password = randomBytes(12).toString("hex");

beforeAll(async () => {
  records = await openRecords();
  admin = new pg.Client({ connectionString: inject("postgresAdminUrl") });
  await admin.connect();
  for (const role of databaseRoles)
    await admin.query(`create role ${loginOf(role)} login password '${password}' in role ${roleName(role)}`);
});

afterAll(async () => {
  await records.close();
  for (const role of databaseRoles) await admin.query(`drop role if exists ${loginOf(role)}`);
  await admin.end();
});

async function connected<T>(url: string, role: DatabaseRole, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: roleOption(role) });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

function addressOf(role: DatabaseRole): string {
  const url = new URL(records.url);
  [url.username, url.password] = [loginOf(role), password];
  return url.href;
}

/** The rights on every column of every table, and the attributes of the role, that a session has by now. */
async function readReach(client: pg.Client): Promise<string> {
  const { rows } = await client.query(
    `select (select string_agg(format('%s.%s %s', t.relname, a.attname, p.what), ' ' order by t.relname, a.attname, p.what)
               from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped,
                    unnest(array['select', 'insert', 'update']) as p(what)
              where t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace
                and has_column_privilege(t.oid, a.attnum, p.what)) as columns,
            (select string_agg(t.relname, ' ' order by t.relname) from pg_class t
              where t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace
                and has_table_privilege(t.oid, 'delete')) as deletes,
            (select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
               from pg_roles where rolname = current_user) as special`,
  );
  return JSON.stringify(rows[0]);
}

function ways(login: string): readonly string[] {
  return [
    "reset role",
    "set role none",
    "reset session authorization",
    "reset all",
    "discard all",
    ...databaseRoles.map((other) => `set role ${roleName(other)}`),
    ...databaseRoles.map((other) => `set session authorization ${roleName(other)}`),
    ...databaseRoles.map((other) => `grant ${roleName(other)} to ${login}`),
    "set role postgres",
    "set role pg_write_all_data",
    "set session authorization postgres",
    `select set_config('role', 'mesh_controller', false)`,
    `alter role ${login} superuser`,
    `alter role ${login} createrole`,
    `create role ${login}_more in role mesh_controller`,
    "grant all on all tables in schema public to public",
    "alter table mesh owner to current_user",
    "create function climb() returns void language sql security definer as 'update mesh set number = 0'",
  ];
}

describe("a login of its own in one role (R41)", () => {
  it.each(databaseRoles)("as %s reaches no more by any way to another role", async (role) => {
    const before = await connected(addressOf(role), role, readReach);
    for (const way of ways(loginOf(role))) {
      const after = await connected(addressOf(role), role, async (client) => {
        // Most are refused: what counts is what the session can do then.
        await client.query(way).catch(() => undefined);
        return await readReach(client);
      });
      expect([way, after]).toEqual([way, before]);
    }
  });

  it("inherits nothing between the roles: none is a member of another, and none can log in", async () => {
    const { rows } = await records.db.query(
      `select r.rolname, r.rolcanlogin from pg_roles r where r.rolname = any($1)
          and (r.rolcanlogin or r.rolsuper or exists (select from pg_auth_members m where m.member = r.oid))`,
      [databaseRoles.map(roleName)],
    );
    expect(rows).toEqual([]);
  });

  it("finds no function of ours that runs with its owner's rights", async () => {
    const { rows } = await records.db.query(
      `select proname from pg_proc where prosecdef and pronamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([]);
  });
});

describe("a process that logged in as the owner and took a role, as mesh up makes it", () => {
  it.each(databaseRoles)("is held back as %s, until it is sent set role none: that is no boundary", async (role) => {
    await connected(records.url, role, async (client) => {
      const held = await readReach(client);
      // Back to what the connection was made with, which is the role.
      await client.query("reset role");
      expect(await readReach(client)).toBe(held);
      await client.query("set role none");
      // What docs/security.md says: if this ever fails, it is better than the page says.
      expect(await readReach(client)).not.toBe(held);
    });
  });
});
