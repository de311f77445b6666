import type { BuildSurroundings } from "../activities/load-build-facts.ts";
import { readBuiltWith } from "../store/build-surroundings.ts";
import type { MeshConnection } from "./mesh-connection.ts";

/**
 * What the controller builds with, as it recorded it: this machine may have other compilers, and an explanation of
 * what the controller does must not be about those. Null: no source was compared yet.
 */
export async function readSurroundings(
  { db, mesh, setup }: Pick<MeshConnection, "db" | "mesh" | "setup">,
  now: Date,
): Promise<BuildSurroundings | null> {
  const builtWith = await readBuiltWith(db, mesh);
  if (builtWith === null) return null;
  return {
    toolchains: builtWith.toolchains,
    builders: builtWith.builders,
    settingsFor: (repository) => builtWith.settings[repository] ?? {},
    running: new Set(),
    now: now.toISOString(),
    lostAfterMs: setup.settings.lostAfterMs,
  };
}
