import { writePrivateFile } from "../../disk/private-file.ts";
import { type Database, openDatabase } from "../../store/database.ts";
import { ensureMesh } from "../../store/meshes.ts";
import { runMigrations } from "../../store/migrate.ts";
import { keepRoles, type RolesInForce } from "../../store/writers/keep-roles.ts";
import { keepDatabaseLogins } from "../database-logins.ts";
import type { UpParts } from "./up-plan.ts";

/**
 * Brings the records' tables and roles to what this program needs, makes the mesh's own row, and opens them with the
 * rights of an operator: what `mesh up` writes is what a person would.
 */
export async function prepareRecords(
  parts: UpParts,
  url: string,
): Promise<{ readonly db: Database; readonly roles: RolesInForce }> {
  await writePrivateFile(parts.paths.databaseUrl, `${url}\n`);
  const open = { url, maxConnections: 4, applicationName: "mesh-up", statementTimeoutMs: 60_000 };
  const owner = openDatabase({ ...open, connectTimeoutMs: 10_000 });
  try {
    const applied = await runMigrations(owner);
    if (applied.length > 0)
      parts.say(`records: ${applied.length} ${applied.length === 1 ? "migration" : "migrations"} applied`);
    await ensureMesh(owner, parts.mesh);
    const roles = await keepRoles(owner);
    if (!roles.enforced) parts.say(`every process writes with all rights, roles are not in force: ${roles.why}`);
    else {
      const trouble = await keepDatabaseLogins(owner, url, parts.paths);
      if (trouble !== null) parts.say(`the controller logs in as the owner of the tables: ${trouble}`);
    }
    return { db: openDatabase({ ...open, role: roles.enforced ? "operator" : undefined }), roles };
  } finally {
    await owner.end();
  }
}
