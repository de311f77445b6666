import { z } from "zod";
import { RecordsRefusedError } from "../../core/errors.ts";
import { type Database, openDatabase, type Queryable } from "../database.ts";
import { isRaceWithAnother, isRightMissing } from "../failure.ts";
import { many, one, run } from "../rows.ts";
import { roleName } from "./database-role.ts";
import type { Login } from "./login.ts";
import { makeVerifier } from "./scram.ts";

/** Why the logins are not to be used, for a person; null: they are as they should be. */
export type LoginTrouble = string | null;

/**
 * Makes the logins, or gives those that are there their password and their one role. As who may make roles; safe twice and
 * at once. Where the database's user may not, nothing is changed, and why is said.
 */
export async function keepLogins(db: Database, logins: readonly Login[]): Promise<LoginTrouble> {
  try {
    for (const login of logins) await keepLogin(db, login);
  } catch (error) {
    if (isRightMissing(error)) return error.message;
    throw error;
  }
  return null;
}

/** What an administrator runs once, where the database's own user may make no logins. No password is in it. */
export function writeLoginsScript(logins: readonly Login[]): string {
  return logins
    .map(({ name, role, password }) => `${createLogin(name, password)} in role ${roleName(role)};`)
    .join("\n");
}

/** Their names. */
export async function listMissingLogins(db: Queryable, logins: readonly Login[]): Promise<ReadonlySet<string>> {
  const rows = await many(
    db,
    z.object({ name: z.string() }),
    `select name from unnest($1::text[]) as name where name not in (select rolname from pg_roles)`,
    [logins.map(({ name }) => name)],
  );
  return new Set(rows.map(({ name }) => name));
}

async function keepLogin(db: Database, { name, role, password }: Login): Promise<void> {
  if ((await listMissingLogins(db, [{ role, name, password }])).size > 0) {
    try {
      await run(db, createLogin(name, password));
    } catch (error) {
      // Another start of the same mesh made it in the same moment.
      if (!isRaceWithAnother(error)) throw error;
    }
  } else await run(db, `alter role ${name} login password '${makeVerifier(password)}'`);
  const others = await many(
    db,
    z.object({ other: z.string() }),
    `select quote_ident(r.rolname) as other from pg_auth_members m join pg_roles r on r.oid = m.roleid
      where m.member = (select oid from pg_roles where rolname = $1) and r.rolname <> $2`,
    [name, roleName(role)],
  );
  for (const { other } of others) await run(db, `revoke ${other} from ${name}`);
  await run(db, `grant ${roleName(role)} to ${name}`);
  await letConnect(db, name);
}

/** Names are of one pattern (`login.ts`), a verifier has no quotes. */
function createLogin(name: string, password: string): string {
  return `create role ${name} login password '${makeVerifier(password)}'`;
}

/** Everybody may connect, where nobody took that away. */
async function letConnect(db: Queryable, name: string): Promise<void> {
  const { may, database } = await one(
    db,
    z.object({ may: z.boolean(), database: z.string() }),
    `select has_database_privilege($1, current_database(), 'connect') as may, quote_ident(current_database()) as database`,
    [name],
  );
  if (!may) await run(db, `grant connect on database ${database} to ${name}`);
}

/** Logs in as each, as a process does, and looks whether it is no more than it should be. */
export async function tryLogins(logins: readonly Login[], addressOf: (login: Login) => string): Promise<LoginTrouble> {
  for (const login of logins) {
    const db = openDatabase({
      url: addressOf(login),
      role: login.role,
      maxConnections: 1,
      applicationName: "mesh-logins",
      statementTimeoutMs: 10_000,
    });
    try {
      const trouble = await readTooMuch(db, login);
      if (trouble !== null) return trouble;
    } catch (error) {
      if (error instanceof RecordsRefusedError) return `${login.name}: ${error.message}`;
      throw error;
    } finally {
      await db.end();
    }
  }
  return null;
}

async function readTooMuch(db: Queryable, { name, role }: Login): Promise<LoginTrouble> {
  const { user, special, roles, owns, creates } = await one(
    db,
    z.object({ user: z.string(), special: z.boolean(), roles: z.string(), owns: z.boolean(), creates: z.boolean() }),
    `select session_user::text as user,
            rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as special,
            coalesce((select string_agg(r.rolname, ', ' order by r.rolname) from pg_auth_members m
                        join pg_roles r on r.oid = m.roleid where m.member = s.oid), 'none') as roles,
            exists (select from pg_shdepend where refobjid = s.oid and deptype = 'o') as owns,
            has_schema_privilege(s.oid, current_schema(), 'create') as creates
       from pg_roles s where s.rolname = session_user`,
  );
  if (user !== name) return `the database lets ${name} in as ${user}`;
  if (roles !== roleName(role)) return `${name} is a member of ${roles}, and should be of ${roleName(role)} alone`;
  if (special) return `${name} has attributes of an administrator`;
  if (owns) return `${name} owns something on this server`;
  return creates ? `${name} may make tables: revoke create on schema public from public` : null;
}
