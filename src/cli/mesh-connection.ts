import { readFile } from "node:fs/promises";
import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import type { Database } from "../store/database.ts";
import { type MeshFile, readMeshFile, statePaths, type StatePaths } from "./mesh-file.ts";

/** One mesh as commands reach it: its records by `db`, its controller through Temporal. */
export interface MeshConnection {
  readonly mesh: Name;
  readonly state: string;
  readonly paths: StatePaths;
  readonly file: MeshFile;
  /** Connects at the first statement. */
  readonly db: Database;
  close(): Promise<void>;
}

export async function openMeshConnection(stateFolder: string): Promise<MeshConnection> {
  const file = await readMeshFile(stateFolder);
  const paths = statePaths(stateFolder);
  const { openDatabase } = await import("../store/database.ts");
  const db = openDatabase({
    url: await readDatabaseUrl(paths.databaseUrl),
    maxConnections: 4,
    applicationName: "mesh-cli",
    statementTimeoutMs: 20_000,
    connectTimeoutMs: 3_000,
  });
  return { mesh: file.mesh, state: stateFolder, paths, file, db, close: () => db.end() };
}

export async function readDatabaseUrl(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw new InputError(`the database's address cannot be read from ${path}`, "complete the mesh with: mesh up", {
      cause,
    });
  }
}
