import { z } from "zod";
import type { Database, Queryable, Transaction } from "../database.ts";
import { isRaceWithAnother, isRightMissing } from "../failure.ts";
import { many, one, run } from "../rows.ts";
import { inTransaction } from "../transaction.ts";
import { databaseRoles, roleName } from "./database-role.ts";
import { compareRights, listRights, privileges, type Right } from "./list-rights.ts";
import { tableRights } from "./table-rights.ts";

/** Whether processes can take their roles in this database. `why`: what the database refused, for a person. */
export type RolesInForce = { readonly enforced: true } | { readonly enforced: false; readonly why: string };

/** `role` in ASCII: one at a time in one database. */
const lockKey = 0x726f6c65;
/** Roles belong to the server: another database's mesh may make the same ones in the same moment. */
const attempts = 5;

/**
 * Makes the roles, gives them what the table of rights says and takes the rest away. As the owner of the tables; safe
 * twice and at once. Where the database's user may not make roles, nothing is changed but what it may, and why is said.
 */
export async function keepRoles(db: Database): Promise<RolesInForce> {
  const refused = await makeRoles(db);
  if (refused !== null) return { enforced: false, why: refused };
  await keepRights(db);
  return { enforced: true };
}

/** As `keepRoles`, and changes nothing. */
export async function readRolesInForce(db: Queryable): Promise<RolesInForce> {
  const missing = await listMissing(db);
  if (missing.length > 0) {
    const why = missing.map(({ role, there }) => `${roleName(role)} ${there ? "is not ours to take" : "is not there"}`);
    return { enforced: false, why: why.join(", ") };
  }
  const { give, take } = compareRights(listRights(tableRights), await readRights(db));
  if (give.length + take.length === 0) return { enforced: true };
  return { enforced: false, why: `${give.length} rights are missing and ${take.length} are too many` };
}

/** What an administrator runs once, where the database's own user may not. */
export async function writeRolesScript(db: Queryable): Promise<string> {
  const { name } = await one(db, z.object({ name: z.string() }), `select quote_ident(current_user) as name`);
  const lines = (await listMissing(db)).flatMap(({ role, there }) => [
    ...(there ? [] : [`create role ${roleName(role)} nologin;`]),
    `grant ${roleName(role)} to ${name};`,
  ]);
  return lines.join("\n");
}

/** Null: they are there, and ours to take. */
async function makeRoles(db: Database): Promise<string | null> {
  for (let attempt = 1; ; attempt += 1) {
    const missing = await listMissing(db);
    if (missing.length === 0) return null;
    try {
      for (const { role, there } of missing) {
        if (!there) await run(db, `create role ${roleName(role)} nologin`);
        await run(db, `grant ${roleName(role)} to current_user`);
      }
      if ((await listMissing(db)).length === 0) return null;
    } catch (error) {
      if (isRightMissing(error)) return error.message;
      if (!isRaceWithAnother(error) || attempt === attempts) throw error;
    }
    if (attempt === attempts) return "the roles were made, and are still not ours to take";
  }
}

const missingSchema = z.object({ role: z.enum(databaseRoles), there: z.boolean() });

/** Roles that are not there, or that this user may not take. Superusers may take all. */
async function listMissing(db: Queryable): Promise<z.output<typeof missingSchema>[]> {
  const { version } = await one(
    db,
    z.object({ version: z.coerce.number() }),
    `select current_setting('server_version_num') as version`,
  );
  // Since PostgreSQL 16 a member may be one that inherits and may not SET ROLE.
  const may = version >= 160_000 ? "SET" : "MEMBER";
  return many(
    db,
    missingSchema,
    `select wanted.role, r.oid is not null as there
       from unnest($1::text[], $2::text[]) as wanted(role, name) left join pg_roles r on r.rolname = wanted.name
      where r.oid is null or not pg_has_role(current_user, r.oid, $3) order by wanted.name`,
    [databaseRoles, databaseRoles.map(roleName), may],
  );
}

async function keepRights(db: Database): Promise<void> {
  const wanted = listRights(tableRights);
  await inTransaction(db, { isolation: "read committed", lockTimeoutMs: 60_000 }, async (tx) => {
    await run(tx, `select pg_advisory_xact_lock($1)`, [lockKey]);
    await keepSchema(tx);
    const { take } = compareRights(wanted, await readRights(tx));
    for (const right of take) await run(tx, `revoke ${describeRight(right)} from ${roleName(right.role)}`);
    // Read again: a right that is taken on a whole table goes on each of its columns too.
    const { give } = compareRights(wanted, await readRights(tx));
    for (const right of give) await run(tx, `grant ${describeRight(right)} to ${roleName(right.role)}`);
  });
}

async function keepSchema(tx: Transaction): Promise<void> {
  const without = await many(
    tx,
    z.object({ name: z.string(), schema: z.string() }),
    `select name, quote_ident(current_schema()) as schema from unnest($1::text[]) as name
      where not has_schema_privilege(name, current_schema(), 'usage')`,
    [databaseRoles.map(roleName)],
  );
  for (const { name, schema } of without) await run(tx, `grant usage on schema ${schema} to ${name}`);
}

/** Table and column come from `table-rights.ts`, or are names of such a table's own columns, quoted. */
function describeRight({ privilege, column, table }: Right): string {
  return `${privilege}${column === null ? "" : ` ("${column.replaceAll('"', '""')}")`} on table "${table}"`;
}

const rightSchema = z.object({
  role: z.enum(databaseRoles),
  table: z.string(),
  privilege: z.enum(privileges),
  column: z.string().nullable(),
});

/** The rights that the roles have now on the tables of the list, whoever gave them. */
export function readRights(db: Queryable): Promise<Right[]> {
  return many(
    db,
    rightSchema,
    `with wanted as (select r.oid, w.role from unnest($1::text[], $2::text[]) as w(role, name) join pg_roles r on r.rolname = w.name),
     ours as (select oid, relname, relacl from pg_class
               where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = any($3::text[])),
     found as (
       select o.relname, null::name as attname, a.grantee, a.privilege_type from ours o, aclexplode(o.relacl) a
       union
       select o.relname, t.attname, a.grantee, a.privilege_type
         from ours o join pg_attribute t on t.attrelid = o.oid and not t.attisdropped, aclexplode(t.attacl) a)
     select w.role, f.relname::text as table, lower(f.privilege_type) as privilege, f.attname::text as column
       from found f join wanted w on w.oid = f.grantee
      where f.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE') order by 1, 2, 3, 4`,
    [databaseRoles, databaseRoles.map(roleName), tableRights.map(({ table }) => table)],
  );
}
