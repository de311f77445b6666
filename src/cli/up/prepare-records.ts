import { writePrivateFile } from "../../link/private-file.ts";
import { type Database, openDatabase } from "../../store/database.ts";
import { ensureMesh } from "../../store/meshes.ts";
import { runMigrations } from "../../store/migrate.ts";
import type { UpParts } from "./up-plan.ts";

/** Opens the records, brings their tables to what this program needs, and makes the mesh's own row. */
export async function prepareRecords(parts: UpParts, url: string): Promise<Database> {
  await writePrivateFile(parts.paths.databaseUrl, `${url}\n`);
  const db = openDatabase({
    url,
    maxConnections: 4,
    applicationName: "mesh-up",
    statementTimeoutMs: 60_000,
    connectTimeoutMs: 10_000,
  });
  try {
    const applied = await runMigrations(db);
    if (applied.length > 0)
      parts.say(`records: ${applied.length} ${applied.length === 1 ? "migration" : "migrations"} applied`);
    await ensureMesh(db, parts.mesh);
    return db;
  } catch (error) {
    await db.end();
    throw error;
  }
}
