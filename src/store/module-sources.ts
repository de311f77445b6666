import { z } from "zod";
import { knownSourceSchema } from "../core/known-source.ts";
import { nameSchema, objectIdSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { moduleSourceSchema } from "./modules.ts";
import { many } from "./rows.ts";

const comparedModuleSchema = z.object({
  name: nameSchema,
  repository: nameSchema,
  branch: z.string(),
  path: moduleSourceSchema.shape.path,
  sourceCommit: objectIdSchema.nullable(),
  // Of another version's shape it is as good as none: the source is read again.
  known: knownSourceSchema.nullable().catch(null),
});
/** A module as a comparison needs it: without its manifest, its findings and how it stands. */
export type ComparedModule = z.output<typeof comparedModuleSchema>;

export function listModuleSources(db: Queryable, mesh: Name): Promise<ComparedModule[]> {
  return many(
    db,
    comparedModuleSchema,
    `select name, repository, branch, path, source_commit as "sourceCommit", known from module
      where mesh = $1 order by name`,
    [mesh],
  );
}
