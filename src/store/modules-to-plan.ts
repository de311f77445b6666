import { z } from "zod";
import { languageSchema } from "../core/manifest.ts";
import { digestSchema, objectIdSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { moduleSourceSchema, movedSchema } from "./modules.ts";
import { many } from "./rows.ts";

const moduleToPlanSchema = z.object({
  ...moduleSourceSchema.shape,
  sourceCommit: objectIdSchema.nullable(),
  moved: movedSchema.nullable(),
  tree: objectIdSchema.nullable(),
  thirdParties: digestSchema.nullable(),
  /** Of its manifest; null: it has none that can be read. */
  language: languageSchema.nullable(),
  /** Why it cannot be built as it is. */
  problem: z.string().nullable(),
  wantedInputs: digestSchema.nullable(),
  fitInputs: digestSchema.nullable(),
  fitArtifact: digestSchema.nullable(),
});
/** A module as the planning of builds needs it: without its whole manifest, its findings and how it stands. */
export type ModuleToPlan = z.output<typeof moduleToPlanSchema>;

export function listModulesToPlan(db: Queryable, mesh: Name): Promise<ModuleToPlan[]> {
  return many(
    db,
    moduleToPlanSchema,
    `select name, repository, branch, path, source_commit as "sourceCommit", moved, tree, third_parties as "thirdParties",
            manifest->>'language' as language, problem, wanted_inputs as "wantedInputs", fit_inputs as "fitInputs",
            fit_artifact as "fitArtifact"
       from module where mesh = $1 order by name`,
    [mesh],
  );
}
