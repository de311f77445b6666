import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseRoles, type DatabaseRole, roleName } from "../../../src/store/writers/database-role.ts";
import { keepRoles } from "../../../src/store/writers/keep-roles.ts";
import { privileges, type Privilege } from "../../../src/store/writers/list-rights.ts";
import { type Columns, tableRights, type TableRights } from "../../../src/store/writers/table-rights.ts";
import { openRecords, type Records } from "../open-records.ts";

let records: Records;
let client: pg.Client;
/** Every table that the migrations make, with its columns. */
const columns = new Map<string, string[]>();

beforeAll(async () => {
  records = await openRecords();
  await keepRoles(records.db);
  client = new pg.Client({ connectionString: records.url });
  await client.connect();
  await readColumns();
});
afterAll(async () => {
  await client.end();
  await records.close();
});

async function readColumns(): Promise<void> {
  columns.clear();
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
      where t.table_schema = 'public' and t.table_type = 'BASE TABLE' order by 1, c.ordinal_position`,
  );
  for (const { table, column } of rows) columns.set(table, [...(columns.get(table) ?? []), column]);
}

/** Tables without a row in the table of rights, and rows that are of no table or of no column of it. */
function findGaps(): string[] {
  const rows = new Set(tableRights.map(({ table }) => table));
  const without = [...columns.keys()].filter((table) => !rows.has(table)).map((table) => `${table} has no row`);
  const named = tableRights.flatMap((row) =>
    databaseRoles.flatMap((role) => privileges.flatMap((privilege) => listed(row, role, privilege))),
  );
  const stray = named.filter((name) => {
    const [table = "", column] = name.split(".");
    return !columns.has(table) || (column !== undefined && columns.get(table)?.includes(column) !== true);
  });
  return [...without, ...stray.map((name) => `${name} is not there`)];
}

function listed(row: TableRights, role: DatabaseRole, privilege: Privilege): string[] {
  const given: Columns | undefined = row[role]?.[privilege];
  if (given === undefined || given === "all") return [row.table];
  return given.map((column) => `${row.table}.${column}`);
}

/** What the table of rights says, on one column; for `delete` on the table. */
function isAllowed(row: TableRights, role: DatabaseRole, privilege: Privilege, column: string): boolean {
  const given: Columns | undefined = row[role]?.[privilege];
  return given === "all" || (given !== undefined && given.includes(column));
}

/** A statement that needs that right and no other, and touches no row. */
function statement(privilege: Privilege, table: string, column: string): string {
  const [t, c] = [`"${table}"`, `"${column}"`];
  if (privilege === "select") return `select ${c} from ${t} where false`;
  if (privilege === "delete") return `delete from ${t} where false`;
  if (privilege === "update") return `update ${t} set ${c} = default where false`;
  return `insert into ${t} (${c}) select null where false`;
}

/** Null: it was done. Else PostgreSQL's code. */
async function attempt(sql: string): Promise<string | null> {
  await client.query("savepoint before");
  try {
    await client.query(sql);
    return null;
  } catch (error) {
    return error instanceof pg.DatabaseError ? (error.code ?? "?") : String(error);
  } finally {
    await client.query("rollback to before");
  }
}

/** As that role: every column of the table by every right, and what came out otherwise than the table says. */
async function walk(role: DatabaseRole, row: TableRights): Promise<string[]> {
  const wrong: string[] = [];
  await client.query("begin");
  try {
    await client.query(`set local role ${roleName(role)}`);
    for (const privilege of privileges) {
      const each = privilege === "delete" ? [""] : (columns.get(row.table) ?? []);
      for (const column of each) {
        const code = await attempt(statement(privilege, row.table, column));
        const expected = isAllowed(row, role, privilege, column) ? null : "42501";
        if (code !== expected) wrong.push(`${role} ${privilege} ${row.table}.${column}: ${code ?? "done"}`);
      }
    }
    for (const more of ["truncate", "drop table", "alter table"]) {
      const code = await attempt(`${more} "${row.table}"${more === "alter table" ? ' add column "x" text' : ""}`);
      if (code !== "42501") wrong.push(`${role} ${more} ${row.table}: ${code ?? "done"}`);
    }
  } finally {
    await client.query("rollback");
  }
  return wrong;
}

describe("who may write what in the records (R41)", () => {
  it("has a row for every table that the migrations make, and none for what is not there", () => {
    expect(findGaps()).toEqual([]);
  });

  it("notices a table and a column that nobody gave a row", async () => {
    await client.query(`create table planted (a text)`);
    await readColumns();
    expect(findGaps()).toEqual(["planted has no row"]);
    await client.query(`drop table planted; alter table node rename column sign_key to planted`);
    await readColumns();
    expect(findGaps()).toEqual(["node.sign_key is not there"]);
    await client.query(`alter table node rename column planted to sign_key`);
    await readColumns();
  });

  const pairs = databaseRoles.flatMap((role) => tableRights.map((row) => [role, row.table, row] as const));
  it.each(pairs)("%s on %s: exactly what its row says", async (role, _table, row) => {
    expect(await walk(role, row)).toEqual([]);
  });

  it("notices a right too many and a right too few", async () => {
    const row = tableRights.find(({ table }) => table === "lease");
    if (row === undefined) throw new Error("lease has no row");
    await client.query(`grant update (epoch) on lease to mesh_operator; revoke select on lease from mesh_viewer`);
    expect(await walk("operator", row)).toEqual(["operator update lease.epoch: done"]);
    expect((await walk("viewer", row))[0]).toBe("viewer select lease.mesh: 42501");
    expect(await keepRoles(records.db)).toEqual({ enforced: true });
    expect([await walk("operator", row), await walk("viewer", row)]).toEqual([[], []]);
  });

  it("leaves rights by column when one on the whole table is taken back", async () => {
    const row = tableRights.find(({ table }) => table === "node");
    if (row === undefined) throw new Error("node has no row");
    await client.query(`grant update on node to mesh_gateway`);
    expect(await keepRoles(records.db)).toEqual({ enforced: true });
    expect(await walk("gateway", row)).toEqual([]);
  });

  it("lets nobody but the owner make a table, and nobody but controllers lock the gate", async () => {
    for (const role of databaseRoles) {
      await client.query(`begin; set local role ${roleName(role)}`);
      expect(await attempt("create table planted (a text)")).toBe("42501");
      const lock = await attempt("lock table mesh in share row exclusive mode");
      expect([role, lock]).toEqual([role, role === "controller" ? null : "42501"]);
      await client.query("rollback");
    }
  });

  it("has nothing for a viewer but reading, and no viewer reads tokens or sealed credentials", () => {
    for (const row of tableRights) {
      expect(Object.keys(row.viewer ?? {}).filter((right) => right !== "select")).toEqual([]);
      if (["enrolment_token", "sealed_box"].includes(row.table)) expect(row.viewer).toBeUndefined();
    }
  });
});
