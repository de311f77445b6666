import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { listNodes } from "../store/nodes.ts";
import type { MeshConnection } from "./mesh-connection.ts";

/** Throws InputError that names every node the mesh does not know. */
export async function expectNodes(connection: MeshConnection, names: readonly Name[]): Promise<void> {
  if (names.length === 0) return;
  const known = new Set((await listNodes(connection.db, connection.mesh)).map((node) => node.name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new InputError(`there is no node ${unknown.join(", ")}`, "see mesh node list");
}
