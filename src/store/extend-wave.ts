import type { Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { run } from "./rows.ts";
import { storableJson } from "./storable.ts";

/**
 * Sources moved in the middle of a wave: what may be rebuilt because of it is announced in it too. What was accounted for by
 * then is to come again. False: it has ended, and what it says is said; nobody would account for any more.
 */
export async function extendWave(db: Queryable, mesh: Name, wave: string, modules: readonly Name[]): Promise<boolean> {
  const changed = await run(
    db,
    `update wave set announced = (
       select jsonb_agg(distinct name) from jsonb_array_elements(announced || $3::jsonb) as a(name)),
       accounted = accounted - array(select jsonb_array_elements_text($3::jsonb))
      where mesh = $1 and id = $2 and ended_at is null`,
    [mesh, wave, storableJson(modules)],
  );
  return changed === 1;
}
