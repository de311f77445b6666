import { InputError, RecordsRefusedError } from "../core/errors.ts";
import { type Database, openDatabase, type Queryable } from "../store/database.ts";
import { ensureMesh, getMesh } from "../store/meshes.ts";
import { expectMigrated, runMigrations } from "../store/migrate.ts";
import { keepRoles, readRights, readRolesInForce, type RolesInForce } from "../store/writers/keep-roles.ts";
import { compareRights, listRights } from "../store/writers/list-rights.ts";
import { tableRights } from "../store/writers/table-rights.ts";
import { databaseAddress, type ServeConfig } from "./serve-config.ts";

type RecordsConfig = Pick<ServeConfig, "databaseUrl" | "databaseLogins" | "mesh">;

/**
 * As the owner, before anything else and never again: tables, the mesh's row, and the roles that the rest runs with. By a
 * login of the controller's own none of that is possible: whether the owner did it is looked at. Throws
 * RecordsRefusedError, with what the owner has to do.
 */
export async function prepareDatabase(config: RecordsConfig): Promise<RolesInForce> {
  if (hasLogins(config)) return expectPrepared(config);
  return withDatabase(config, async (owner) => {
    await runMigrations(owner);
    await ensureMesh(owner, config.mesh);
    return keepRoles(owner);
  });
}

/** Of a database that a controller prepared: changes nothing in it. */
export async function readPreparedRoles(config: RecordsConfig): Promise<RolesInForce> {
  return hasLogins(config) ? expectPrepared(config) : withDatabase(config, readRolesInForce);
}

/** Whether the controller goes in by its own, and never as the owner. */
export function hasLogins({ databaseLogins }: Pick<ServeConfig, "databaseLogins">): boolean {
  return databaseLogins !== undefined && databaseLogins !== null;
}

function expectPrepared(config: RecordsConfig): Promise<RolesInForce> {
  return withDatabase(config, async (db) => {
    await expectMigrated(db);
    await expectRights(db);
    if ((await getMesh(db, config.mesh)) === null)
      throw new InputError(
        `these records know no mesh ${config.mesh}`,
        "make it as their owner: mesh database roles --apply",
      );
    return { enforced: true };
  });
}

/** Of a right too many the owner's next start thinks; with one too few something would fail later, and in the middle. */
async function expectRights(db: Queryable): Promise<void> {
  const [missing, ...more] = compareRights(listRights(tableRights), await readRights(db)).give;
  if (missing === undefined) return;
  throw new RecordsRefusedError(
    `roles lack ${more.length + 1} rights, to ${missing.privilege} on ${missing.table} among them`,
    "give them as the tables' owner: mesh database roles --apply, or mesh up",
  );
}

async function withDatabase<T>(config: RecordsConfig, act: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase({
    url: databaseAddress(config, "controller"),
    role: hasLogins(config) ? "controller" : undefined,
    maxConnections: 1,
    applicationName: "mesh-prepare",
    statementTimeoutMs: 30_000,
  });
  try {
    return await act(db);
  } finally {
    await db.end();
  }
}
