import type { Name } from "../core/names.ts";
import { readBuiltWith } from "../store/build-surroundings.ts";
import type { Queryable } from "../store/database.ts";
import type { BuildSurroundings } from "./load-build-facts.ts";

/**
 * What the controller builds with, as it recorded it: whoever explains may be on a machine with other compilers, and an
 * explanation of what the controller does must not be about those. Null: no source was compared yet.
 */
export async function readSurroundings(
  db: Queryable,
  mesh: Name,
  { now, lostAfterMs }: { readonly now: Date; readonly lostAfterMs: number },
): Promise<BuildSurroundings | null> {
  const builtWith = await readBuiltWith(db, mesh);
  if (builtWith === null) return null;
  return {
    toolchains: builtWith.toolchains,
    builders: builtWith.builders,
    settingsFor: (repository) => builtWith.settings[repository] ?? {},
    running: new Set(),
    now: now.toISOString(),
    lostAfterMs,
  };
}
