import { existsSync } from "node:fs";
import { writeDurably } from "../../disk/write-durably.ts";
import type { MeshFile } from "../mesh-setup.ts";
import type { UpParts } from "./up-plan.ts";

/** How commands find the mesh's parts. Written at every start: a server that was given may have moved. */
export async function writeMeshFile(
  parts: UpParts,
  found: Pick<MeshFile, "temporal" | "databaseRoles">,
): Promise<MeshFile> {
  const file: MeshFile = {
    schema: 1,
    mesh: parts.mesh,
    temporal: found.temporal,
    gateway: { host: parts.listen, port: parts.ports.gateway },
    databaseRoles: found.databaseRoles,
  };
  await writeDurably(parts.paths.meshFile, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o644 });
  return file;
}

/** A person's settings are never written over. */
export async function writeFirstSettings(path: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  if (!existsSync(path)) await writeDurably(path, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o644 });
}
