import { z } from "zod";
import { knownSourceSchema } from "../core/known-source.ts";
import { languageSchema } from "../core/manifest.ts";
import { digestSchema, objectIdSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { moduleSourceSchema, movedSchema } from "./modules.ts";
import { planPart } from "./plan-version.ts";
import { many } from "./rows.ts";
import { joinHead, sourceCommit } from "./source-commit.ts";

const moduleToPlanSchema = z.object({
  ...moduleSourceSchema.shape,
  /** Of `planPart`. */
  part: z.number().int(),
  sourceCommit: objectIdSchema.nullable(),
  /** What its facts were read from, where they say so; of another version's shape it is as good as none: they are read again. */
  known: knownSourceSchema.nullable().catch(null),
  moved: movedSchema.nullable(),
  tree: objectIdSchema.nullable(),
  thirdParties: digestSchema.nullable(),
  /** Of its manifest; null: it has none that can be read. */
  language: languageSchema.nullable(),
  /** Why it cannot be built as it is. */
  problem: z.string().nullable(),
  /** Why its source could not be read when it had to be; null: it was. */
  unread: z.string().nullable(),
  wantedInputs: digestSchema.nullable(),
  fitInputs: digestSchema.nullable(),
  fitArtifact: digestSchema.nullable(),
});
/** A module as comparing and the planning of builds need it: without its whole manifest, its findings and how it stands. */
export type ModuleToPlan = z.output<typeof moduleToPlanSchema>;

/** `parts`: only those of `planPart`. */
export function listModulesToPlan(db: Queryable, mesh: Name, parts?: readonly number[]): Promise<ModuleToPlan[]> {
  return many(
    db,
    moduleToPlanSchema,
    // Facts that were written without saying what they were read from are read again.
    `select m.name, m.repository, m.branch, m.path, ${planPart("m.name")} as part, ${sourceCommit} as "sourceCommit",
            case when m.known->>'commit' = m.source_commit then m.known end as known, m.moved, m.tree,
            m.third_parties as "thirdParties", m.manifest->>'language' as language, m.problem, m.unread,
            m.wanted_inputs as "wantedInputs", m.fit_inputs as "fitInputs", m.fit_artifact as "fitArtifact"
       from module m ${joinHead}
      where m.mesh = $1 and ($2::int[] is null or ${planPart("m.name")} = any($2)) order by m.name`,
    [mesh, parts ?? null],
  );
}
