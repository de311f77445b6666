import type { Name } from "../core/names.ts";
import type { WaveResult } from "../decide/account-wave.ts";
import type { Queryable } from "../store/database.ts";
import { listBuilds } from "../store/builds.ts";
import type { Wave } from "../store/waves.ts";

/** What the newest build of each announced module came to since the wave began. No entry: none has ended in it. */
export async function readWaveResults(db: Queryable, mesh: Name, wave: Wave): Promise<Map<Name, WaveResult>> {
  const results = new Map<Name, WaveResult>();
  for (const module of wave.announced) {
    const [build] = await listBuilds(db, mesh, module, 1);
    if (build === undefined || build.state === "building" || build.endedAt === null || build.endedAt < wave.startedAt)
      continue;
    results.set(module, { state: build.state, artifact: build.artifact, message: build.message });
  }
  return results;
}
