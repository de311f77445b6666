import { type Database, openDatabase } from "../store/database.ts";
import { ensureMesh } from "../store/meshes.ts";
import { runMigrations } from "../store/migrate.ts";
import { keepRoles, readRolesInForce, type RolesInForce } from "../store/writers/keep-roles.ts";
import type { ServeConfig } from "./serve-config.ts";

/** As the owner, before anything else and never again: tables, the mesh's row, and the roles that the rest runs with. */
export async function prepareDatabase(config: Pick<ServeConfig, "databaseUrl" | "mesh">): Promise<RolesInForce> {
  return asOwner(config, async (owner) => {
    await runMigrations(owner);
    await ensureMesh(owner, config.mesh);
    return keepRoles(owner);
  });
}

/** Of a database that a controller prepared: changes nothing in it. */
export function readPreparedRoles(config: Pick<ServeConfig, "databaseUrl">): Promise<RolesInForce> {
  return asOwner(config, readRolesInForce);
}

async function asOwner<T>(
  { databaseUrl: url }: Pick<ServeConfig, "databaseUrl">,
  act: (owner: Database) => Promise<T>,
): Promise<T> {
  const owner = openDatabase({
    url,
    maxConnections: 1,
    applicationName: "mesh-prepare",
    statementTimeoutMs: 30_000,
  });
  try {
    return await act(owner);
  } finally {
    await owner.end();
  }
}
