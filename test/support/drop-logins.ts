import { readFile } from "node:fs/promises";
import type { MeshPaths } from "../../src/cli/mesh-setup.ts";
import { whenThere } from "../../src/core/errors.ts";
import type { Database } from "../../src/store/database.ts";

/** Logins belong to the server, which the whole test run shares. */
export async function dropLogins(admin: Database, paths: Pick<MeshPaths, "databaseLogins">): Promise<void> {
  const text = await whenThere(readFile(paths.databaseLogins, "utf8"));
  const logins = text === null ? [] : (JSON.parse(text) as { readonly name: string }[]);
  for (const { name } of logins) await admin.query(`drop role if exists ${name}`);
}
