import { openDatabase } from "../store/database.ts";
import { ensureMesh } from "../store/meshes.ts";
import { runMigrations } from "../store/migrate.ts";
import { keepRoles, type RolesInForce } from "../store/writers/keep-roles.ts";
import type { ServeConfig } from "./serve-config.ts";

/** As the owner, before anything else and never again: tables, the mesh's row, and the roles that the rest runs with. */
export async function prepareDatabase(config: Pick<ServeConfig, "databaseUrl" | "mesh">): Promise<RolesInForce> {
  const owner = openDatabase({
    url: config.databaseUrl,
    maxConnections: 1,
    applicationName: "mesh-prepare",
    statementTimeoutMs: 30_000,
  });
  try {
    await runMigrations(owner);
    await ensureMesh(owner, config.mesh);
    return await keepRoles(owner);
  } finally {
    await owner.end();
  }
}
