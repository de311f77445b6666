import type { Name } from "../core/names.ts";
import { clearCondition, listConditions, type Observation, observeCondition } from "../store/conditions.ts";
import type { Queryable } from "../store/database.ts";

/** Opens what is seen, and closes what is open under one of these codes and is not seen any more (R33). */
export async function keepSeen(
  { db, mesh }: { readonly db: Queryable; readonly mesh: Name },
  codes: readonly string[],
  seen: readonly Observation[],
): Promise<void> {
  for (const one of seen) await observeCondition(db, mesh, one);
  const isSeen = (code: string, subject: string): boolean =>
    seen.some((one) => one.code === code && one.subject === subject);
  for (const { code, subject } of await listConditions(db, mesh))
    if (codes.includes(code) && !isSeen(code, subject)) await clearCondition(db, mesh, { code, subject });
}
