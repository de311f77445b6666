import { z } from "zod";
import { nameSchema, objectIdSchema, type Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many } from "./rows.ts";

const labelsSchema = z.object({
  module: nameSchema,
  /** A newer commit that was seen and is not taken yet (R16), and which module it waits for. */
  heldCommit: objectIdSchema.nullable(),
  heldFor: nameSchema.nullable(),
  /** Since when a second build of it is known to have differed (R10); null: none did, or a later one was the same. */
  notReproducibleSince: timeColumn.nullable(),
  /** Which files differed, and how, as sentences; empty where that is not kept any more. */
  differing: z.array(z.string()),
});
/** What is said of a module beside how it stands: it changes no plan and no verdict. */
export type ModuleLabels = z.output<typeof labelsSchema>;

/** Only of modules that have any. */
export function listModuleLabels(db: Queryable, mesh: Name): Promise<ModuleLabels[]> {
  return many(
    db,
    labelsSchema,
    `select m.name as module, m.held_commit as "heldCommit", m.held_for as "heldFor",
            c.since as "notReproducibleSince", coalesce(k.files, '[]') as differing
       from module m
       left join condition c on c.mesh = m.mesh and c.code = 'not-reproducible' and c.subject = m.name
       left join lateral (select files from build_check
                           where mesh = c.mesh and module = c.subject and state = 'differs'
                           order by checked_at desc limit 1) k on true
      where m.mesh = $1 and (m.held_commit is not null or c.since is not null) order by m.name`,
    [mesh],
  );
}
