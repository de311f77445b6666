import type { Name } from "../core/names.ts";
import { UnavailableError } from "../core/errors.ts";
import { readPrivateFileIfThere } from "../disk/private-file.ts";
import type { Database } from "../store/database.ts";
import type { RecordsIdentity } from "../store/writers/database-role.ts";
import type { ServeConfig } from "../worker/serve-config.ts";
import { type MeshPaths, type MeshSetup, meshPaths, readMeshSetup } from "./mesh-setup.ts";

/** One mesh as commands reach it: its records by `db`, its controller through Temporal. */
export interface MeshConnection {
  readonly mesh: Name;
  readonly state: string;
  readonly paths: MeshPaths;
  readonly setup: MeshSetup;
  /** Connects at the first statement. */
  readonly db: Database;
  /** What a controller of this mesh needs to know, its keys' files among it: for a shell that has to act itself (R40). */
  readServeConfig(): Promise<ServeConfig>;
  close(): Promise<void>;
}

export async function openMeshConnection(stateFolder: string, as: RecordsIdentity): Promise<MeshConnection> {
  const setup = await readMeshSetup(stateFolder);
  const paths = meshPaths(stateFolder);
  const { openDatabase } = await import("../store/database.ts");
  const db = openDatabase({
    url: await readDatabaseUrl(paths.databaseUrl),
    role: setup.databaseRoles && as !== "owner" ? as : undefined,
    maxConnections: 4,
    applicationName: "mesh-cli",
    statementTimeoutMs: 20_000,
    connectTimeoutMs: 3_000,
  });
  return {
    mesh: setup.mesh,
    state: stateFolder,
    paths,
    setup,
    db,
    readServeConfig: async () => (await import("./serve-config.ts")).readServeConfig(stateFolder),
    close: () => db.end(),
  };
}

/** A secret: it holds the password. */
export async function readDatabaseUrl(path: string): Promise<string> {
  const url = await readPrivateFileIfThere(path);
  if (url !== null) return url.trim();
  // A controller with least rights has none on purpose, and a person may be standing there.
  throw new UnavailableError(
    `${path} is not there: nothing here says how the records are reached`,
    "type it with the state folder that has it (--state), or put the address of a login of yours there (chmod 600)",
  );
}
