import pg from "pg";
import { errorCode, InputError, UnavailableError } from "../../core/errors.ts";
import { createCheckedPasswords, type CheckPassword } from "./checked-passwords.ts";
import { withConnection, isRefusedLogin, type Login } from "./postgresql-connection.ts";
import { readRoles, type RoleRow } from "./postgresql-roles.ts";
import { eachOf } from "./each-of.ts";
import { NoAnswerError } from "./no-answer.ts";
import type { ObservedGrant, Provider, ProviderAccess, WantedGrant } from "./provider.ts";
import { isMadeFor, readMarker, writeMarker } from "./provision-marker.ts";
import { makeScramVerifier } from "./scram-verifier.ts";

/** A login that was really tried is believed for so long while nothing about it has changed. */
const loginTrustedMs = 5 * 60_000;

/**
 * Databases on a PostgreSQL server: per provision a role and a database of the same name. The administrator owns the
 * database (so that the marker on it is not the consumer's to change), the consumer owns the schema `public` in it, and
 * nobody else may connect. Withdrawn: no login, no password, no sessions; the database stays (R20).
 */
export function createPostgresqlProvider(nowMs: () => number): Provider {
  const passwords = createCheckedPasswords();
  const tried = new Map<string, { readonly trace: string; readonly atMs: number }>();
  return {
    kind: "postgresql",
    async readGrants(access, wanted) {
      const roles = await withConnection(access, adminLogin(access), readRoles);
      const byName = new Map(wanted.map((grant) => [grant.name, grant]));
      const observed: ObservedGrant[] = [];
      const checkPassword = passwords.beginPass(access.admin);
      for (const role of roles) {
        const marker = readMarker(role.marker, access);
        if (marker === null) continue;
        const grant = byName.get(role.name);
        const problems =
          role.login && grant?.provision === marker.provision ? await problemsOf(role, grant, checkPassword) : [];
        if (role.login && grant !== undefined && problems.length === 0) {
          // Sessions come and go: that says nothing about the login.
          const trace = JSON.stringify([{ ...role, sessions: 0 }, access.admin, grant.password]);
          const before = tried.get(role.name);
          if (before?.trace !== trace || Math.abs(nowMs() - before.atMs) > loginTrustedMs) {
            const problem = await tryLogin(access, grant);
            if (problem === null) tried.set(role.name, { trace, atMs: nowMs() });
            else problems.push(problem);
          }
        }
        // Sessions that are still open are access as well.
        observed.push({ ...marker, name: role.name, access: role.login || role.sessions > 0, problems });
      }
      return observed;
    },
    async issueGrants(access, wanted) {
      await withConnection(access, adminLogin(access), (admin) =>
        eachOf(wanted, access.signal, async (grant) => {
          await issueRole(admin, access, grant);
          await issueDatabase(admin, grant);
          await withConnection(access, adminLogin(access, grant.name), (inside) => issueSchema(inside, grant));
          // Last: a kill before it leaves a database that is not marked, and all of this is done again.
          await markDatabase(admin, access, grant);
        }),
      );
    },
    async withdrawGrants(access, withdrawn) {
      if (withdrawn.length === 0) return;
      await withConnection(access, adminLogin(access), (admin) =>
        eachOf(withdrawn, access.signal, (grant) => withdraw(admin, grant.name)),
      );
    },
  };
}

function adminLogin(access: ProviderAccess, database = "postgres"): Login {
  return { user: access.adminUser, password: access.adminPassword, database };
}

/** What the catalog says is not as minted. */
async function problemsOf(role: RoleRow, grant: WantedGrant, checkPassword: CheckPassword): Promise<string[]> {
  const problems: string[] = [];
  if (role.database === null) problems.push("its database is not there");
  else if (role.databaseMarked === false) problems.push("its database is not marked");
  if (role.databaseOpen === false) problems.push("its database is not open to it");
  if (role.publicMayConnect === true) problems.push("everybody may connect to it");
  if (role.mayConnect === false) problems.push("it may not connect to its database");
  if (role.connectionLimit !== -1) problems.push("its connections are limited");
  if (role.extraRights) problems.push("it has more rights than it was given");
  if (role.verifier !== null && !(await checkPassword(role.verifier, grant.password)))
    problems.push("another password");
  return problems;
}

/**
 * Really logs in as the consumer. Null: it works. Whatever else comes of it is this one's problem: the administrator is
 * answered, and what others have must be made and taken away all the same, from who holds all connections first of all.
 */
async function tryLogin(access: ProviderAccess, grant: WantedGrant): Promise<string | null> {
  try {
    const login = { user: grant.name, password: grant.password, database: grant.name };
    await withConnection(access, login, (client) => client.query("SELECT 1"));
    return null;
  } catch (error) {
    access.signal.throwIfAborted();
    // Where nobody is answered any more the others wait for another pass: here each would take its whole bound.
    if (error instanceof NoAnswerError)
      await withConnection(access, adminLogin(access), (admin) => admin.query("SELECT 1"));
    if (isRefusedLogin(error)) return "it cannot log in";
    if (error instanceof InputError) return error.message;
    const why = errorCode(error instanceof UnavailableError ? error.cause : error) ?? "no answer";
    // absence is the answer: that it fails, and how, is what is found of this grant, and reported.
    return `its login fails (${why})`;
  }
}

/** Role and marker are one transaction: a role without a marker is never ours. */
async function issueRole(admin: pg.Client, access: ProviderAccess, grant: WantedGrant): Promise<void> {
  const role = pg.escapeIdentifier(grant.name);
  const [existing] = await readRoles(admin, grant.name);
  if (existing !== undefined && !isMadeFor(readMarker(existing.marker, access), grant)) {
    throw new InputError(`the role ${grant.name} is there and was not made for ${grant.provision}: rename or drop it`);
  }
  if (existing === undefined) await refuseForeignDatabase(admin, access, grant);
  const rights = existing?.extraRights === true ? "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS" : "";
  const password = pg.escapeLiteral(await makeScramVerifier(grant.password));
  await inTransaction(admin, [
    `${existing === undefined ? "CREATE" : "ALTER"} ROLE ${role} ${rights} LOGIN PASSWORD ${password} VALID UNTIL 'infinity' CONNECTION LIMIT -1`,
    `COMMENT ON ROLE ${role} IS ${pg.escapeLiteral(writeMarker(access.mesh, grant))}`,
  ]);
}

async function refuseForeignDatabase(admin: pg.Client, access: ProviderAccess, grant: WantedGrant): Promise<void> {
  const found = await admin.query("SELECT 1 FROM pg_database WHERE datname = $1", [grant.name]);
  if (found.rowCount === 0) return;
  // Its role was dropped by hand: the marker on the database itself says whose it is.
  const marked = await admin.query<{ marker: string | null }>(
    "SELECT shobj_description(oid, 'pg_database') AS marker FROM pg_database WHERE datname = $1",
    [grant.name],
  );
  if (isMadeFor(readMarker(marked.rows[0]?.marker ?? null, access), grant)) return;
  throw new InputError(
    `the database ${grant.name} is there and was not made for ${grant.provision}: rename or drop it`,
  );
}

async function issueDatabase(admin: pg.Client, grant: WantedGrant): Promise<void> {
  const name = pg.escapeIdentifier(grant.name);
  const found = await admin.query("SELECT 1 FROM pg_database WHERE datname = $1", [grant.name]);
  // Not possible in a transaction. A kill after it leaves a database without marker beside our marked role. Not of template1,
  // which every consumer may log in to: what one made there would be in all later databases, and a session keeps it busy.
  if (found.rowCount === 0) await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  await inTransaction(admin, [
    `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`,
    `GRANT CONNECT, CREATE, TEMPORARY ON DATABASE ${name} TO ${name}`,
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS true CONNECTION LIMIT -1`,
  ]);
}

/** It is the consumer's, so it may have dropped it, as many do: what it has instead is its own already. */
async function issueSchema(inside: pg.Client, grant: WantedGrant): Promise<void> {
  const found = await inside.query("SELECT 1 FROM pg_namespace WHERE nspname = 'public'");
  if (found.rowCount === 0) return;
  await inside.query(`ALTER SCHEMA public OWNER TO ${pg.escapeIdentifier(grant.name)}`);
}

async function markDatabase(admin: pg.Client, access: ProviderAccess, grant: WantedGrant): Promise<void> {
  const marker = pg.escapeLiteral(writeMarker(access.mesh, grant));
  await admin.query(`COMMENT ON DATABASE ${pg.escapeIdentifier(grant.name)} IS ${marker}`);
}

/** First nobody gets in any more, then who is in is put out. Nothing is dropped. */
async function withdraw(admin: pg.Client, grantName: string): Promise<void> {
  const name = pg.escapeIdentifier(grantName);
  const found = await admin.query("SELECT 1 FROM pg_database WHERE datname = $1", [grantName]);
  await inTransaction(admin, [
    `ALTER ROLE ${name} NOLOGIN PASSWORD NULL`,
    ...(found.rowCount === 0 ? [] : [`REVOKE CONNECT ON DATABASE ${name} FROM ${name}, PUBLIC`]),
  ]);
  for (let tries = 0; tries < 20; tries += 1) {
    const ended = await admin.query(
      "SELECT pg_terminate_backend(pid, 250) FROM pg_stat_activity WHERE usename = $1 AND pid <> pg_backend_pid()",
      [grantName],
    );
    if (ended.rowCount === 0) return;
  }
  throw new UnavailableError(`sessions of ${grantName} do not end`, "They are ended at the next pass.");
}

async function inTransaction(admin: pg.Client, statements: readonly string[]): Promise<void> {
  await admin.query("BEGIN");
  try {
    for (const statement of statements) await admin.query(statement);
    await admin.query("COMMIT");
  } catch (error) {
    await admin.query("ROLLBACK");
    throw error;
  }
}
