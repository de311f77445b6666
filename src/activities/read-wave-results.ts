import type { Name } from "../core/names.ts";
import type { WaveResult } from "../decide/account-wave.ts";
import type { Queryable } from "../store/database.ts";
import { listEndedInWave } from "../store/waves.ts";

/**
 * What the newest build of each announced module came to since the wave began; `only`: of these. No entry: none has ended
 * in it.
 */
export async function readWaveResults(
  db: Queryable,
  mesh: Name,
  wave: string,
  only?: readonly Name[],
): Promise<Map<Name, WaveResult>> {
  const ended = await listEndedInWave(db, mesh, wave, only);
  return new Map(ended.map(({ module, ...result }) => [module, result]));
}
