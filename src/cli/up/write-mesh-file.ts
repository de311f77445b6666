import { existsSync } from "node:fs";
import { InputError } from "../../core/errors.ts";
import { writeDurably } from "../../disk/write-durably.ts";
import { gatewayUrl } from "../create-host-token.ts";
import { type MeshFile, readMeshFile } from "../mesh-setup.ts";
import type { UpParts } from "./up-plan.ts";

type FileParts = Pick<UpParts, "mesh" | "listen" | "say"> & {
  readonly paths: Pick<UpParts["paths"], "meshFile">;
  readonly ports: Pick<UpParts["ports"], "gateway">;
};

/**
 * How commands find the mesh's parts. Written at every start: a server that was given may have moved. Says it where the
 * gateway has: hosts on other machines do not hear of it.
 */
export async function writeMeshFile(
  parts: FileParts,
  found: Pick<MeshFile, "temporal" | "databaseRoles">,
): Promise<MeshFile> {
  const file: MeshFile = {
    schema: 1,
    mesh: parts.mesh,
    temporal: found.temporal,
    gateway: { host: parts.listen, port: parts.ports.gateway },
    databaseRoles: found.databaseRoles,
  };
  const before = await findGatewayBefore(parts.paths.meshFile);
  const now = gatewayUrl(file.gateway);
  if (before !== null && before !== now)
    parts.say(
      `the gateway is at ${now} now, and no more at ${before}: enrol each host on another machine again, in its own folder ` +
        "(mesh host token NODE); until then it keeps what it has, and is silent",
    );
  await writeDurably(parts.paths.meshFile, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o644 });
  return file;
}

async function findGatewayBefore(path: string): Promise<string | null> {
  try {
    return gatewayUrl((await readMeshFile(path)).gateway);
  } catch (error) {
    // absence is the answer: a first start has no such file, and one that is broken says nothing and is written anew here.
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** A person's settings are never written over. */
export async function writeFirstSettings(path: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  if (!existsSync(path)) await writeDurably(path, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o644 });
}
