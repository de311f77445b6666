import { InputError } from "../core/errors.ts";
import { listModules } from "../store/modules.ts";
import type { MeshConnection } from "./mesh-connection.ts";

/** Throws InputError where one of them is not registered. */
export async function expectModules(connection: MeshConnection, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const known = new Set((await listModules(connection.db, connection.mesh)).map((module) => module.name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new InputError(`there is no module ${unknown.join(", ")}`, "see mesh module list");
}
