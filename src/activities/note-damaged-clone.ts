import type { Name } from "../core/names.ts";
import { observeCondition } from "../store/conditions.ts";
import type { Queryable } from "../store/database.ts";

export const damagedCloneCode = "clone-damaged";

/** A clone that had to be thrown away; ended by the next comparison that reads it whole (R33). */
export async function noteDamagedClone(db: Queryable, mesh: Name, repository: Name, why: string): Promise<void> {
  await observeCondition(db, mesh, {
    code: damagedCloneCode,
    subject: repository,
    message: `the clone of ${repository} was damaged and is made again: ${why.slice(0, 500)}`,
    remedy: "nothing, when it comes alone; when it comes again, look at the disk of the controller's machine",
    urgent: false,
  });
}
