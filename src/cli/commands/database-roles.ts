import { writeDurably } from "../../disk/write-durably.ts";
import { ensureMesh } from "../../store/meshes.ts";
import { runMigrations } from "../../store/migrate.ts";
import { databaseRoles, roleName } from "../../store/writers/database-role.ts";
import { keepRoles, readRolesInForce, writeRolesScript } from "../../store/writers/keep-roles.ts";
import type { CommandCall, CommandDefinition, CommandResult } from "../command.ts";
import { expectApart } from "../expect-options.ts";
import { findMissingLogins, keepDatabaseLogins, readLoginAddresses, writeMissingLogins } from "../database-logins.ts";
import { type MeshConnection, readDatabaseUrl } from "../mesh-connection.ts";
import { plainLine } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Each process takes a role when it connects to PostgreSQL, and may do no more there than the role may: commands that only
look cannot write, the gateway cannot number or send. mesh up and mesh serve make the roles by themselves where the user
of the database's address may do that. Where it may not, an administrator runs what --sql prints, once, and --apply (or
the next start) does the rest.

A controller logs in by three logins of its own, which own nothing and have one role each; mesh up and --apply make them.
Where there are none, it logs in as the owner of the tables, and that is said. --apply works as the owner, brings the tables
to this version as well, and is what to run before a mesh serve of a newer one.

Exit code: 0 the roles are in force, 1 they are not.

Examples:
  mesh database roles
  mesh database roles --sql | psql -U postgres
  mesh database roles --apply`;

export const databaseRolesCommand: CommandDefinition = {
  configure: (command) => {
    command
      .option("--sql", "print what an administrator of the database server has to run")
      .option("--apply", "make tables, roles and the controller's logins, as far as this user may")
      .addHelpText("after", help);
  },
  run: async (call) => {
    expectApart(call, ["sql", ["apply"]]);
    return await withMesh(call, async (connection) => {
      const { db } = connection;
      const script = await writeRolesScript(db);
      if (call.options["sql"] === true) return await answerSql(connection, script);
      const state = call.options["apply"] === true ? await apply(connection) : await readRolesInForce(db);
      const used = state.enforced && connection.setup.databaseRoles;
      const why = state.enforced ? (used || call.options["apply"] === true ? null : notUsed) : state.why;
      const logins = state.enforced ? await judgeLogins(call, connection) : { own: false, why: "no roles" };
      return {
        code: why === null && !(logins.own && logins.why !== null) ? 0 : 1,
        document: { enforced: why === null, why, roles: databaseRoles.map(roleName), logins },
        text:
          why === null
            ? `${inForce}\n${sayLogins(logins)}`
            : `the roles are not in force: ${plainLine(why, 500)}\n${nextStep(script)}`,
      };
    });
  },
};

/** Still SQL where there is nothing to run: it is piped into psql. */
async function answerSql({ db, paths }: MeshConnection, roles: string): Promise<CommandResult> {
  const script = [roles, await writeMissingLogins(db, paths)].filter((part) => part !== "").join("\n");
  if (script !== "") return { code: 0, document: { sql: script }, text: script };
  const { enforced } = await readRolesInForce(db);
  const text = enforced
    ? "-- nothing to run: the roles are there, ours to take, and have their rights"
    : "-- nothing to run as an administrator: the roles are there and ours to take; mesh database roles --apply gives their rights";
  return { code: 0, document: { sql: text }, text };
}

interface LoginState {
  /** Whether a controller that starts now logs in by its own. */
  readonly own: boolean;
  /** Why not; of its own: why they let nobody in. */
  readonly why: string | null;
}

/** Under --apply they are made; else it is only looked whether there are any, here and on the server. */
async function judgeLogins(call: CommandCall, { db, paths }: MeshConnection): Promise<LoginState> {
  if (call.options["apply"] === true) {
    const why = await keepDatabaseLogins(db, await readDatabaseUrl(paths.databaseUrl), paths);
    return { own: why === null, why };
  }
  if ((await readLoginAddresses(paths)) === null) return { own: false, why: "none were made" };
  const missing = await findMissingLogins(db, paths);
  const names = missing.map(({ name }) => name).join(", ");
  return { own: true, why: missing.length === 0 ? null : `the server does not have ${names}` };
}

function sayLogins({ own, why }: LoginState): string {
  if (own && why !== null)
    return `  a controller cannot log in: ${plainLine(why, 500)}\n  next: mesh database roles --apply; where it may not, --sql for an administrator first`;
  if (own) return "  the controller logs in by logins of its own, and is the owner of nothing";
  return `  the controller logs in as the owner of the tables: ${plainLine(why ?? "", 500)}\n  next: mesh database roles --apply; where it may not, --sql for an administrator first`;
}

const inForce = `in force: ${databaseRoles.map(roleName).join(", ")}
  a controller that runs takes them at its next start`;
const notUsed = "they are there, and this mesh does not use them yet";

function nextStep(script: string): string {
  return script === ""
    ? "  next: mesh database roles --apply"
    : "  next: mesh database roles --sql, for an administrator of the database; then mesh database roles --apply";
}

/** Commands use them from now on: what says so is in `mesh.json`. */
async function apply({ db, mesh, paths, setup }: MeshConnection): ReturnType<typeof keepRoles> {
  await runMigrations(db);
  await ensureMesh(db, mesh);
  const state = await keepRoles(db);
  const { settings: _settings, ...file } = setup;
  if (state.enforced !== setup.databaseRoles) {
    const next = { schema: 1, ...file, databaseRoles: state.enforced };
    await writeDurably(paths.meshFile, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o644 });
  }
  return state;
}
