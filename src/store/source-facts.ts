import { z } from "zod";
import { knownSourceSchema } from "../core/known-source.ts";
import { manifestSchema } from "../core/manifest.ts";
import { digestSchema, nameSchema, objectIdSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { findingSchema } from "./modules.ts";
import { run } from "./rows.ts";
import { storableJson } from "./storable.ts";

/** What a comparison read in one module's source. How it stands is another question: see module-plans.ts. */
export const sourceFactsRecordSchema = z.strictObject({
  module: nameSchema,
  sourceCommit: objectIdSchema.nullable(),
  sourceCommitAt: z.iso.datetime({ offset: true }).nullable(),
  sourceSubject: z.string().nullable(),
  tree: objectIdSchema.nullable(),
  thirdParties: digestSchema.nullable(),
  manifest: manifestSchema.nullable(),
  findings: z.array(findingSchema),
  /** Why it cannot be built as it is; null: it can. */
  problem: z.string().nullable(),
  /** What all of this was read from; null: it is read again. */
  known: knownSourceSchema.nullable(),
});
export type SourceFactsRecord = z.infer<typeof sourceFactsRecordSchema>;

/** Another source than the last one, not only another commit. */
const isMoved = `(c.tree is not null and (m.tree, m.third_parties) is distinct from (c.tree, c."thirdParties"))`;

/** Writes only what is new, all modules in one statement. Answers how many changed. */
export function recordSourceFacts(db: Queryable, mesh: Name, records: readonly SourceFactsRecord[]): Promise<number> {
  const rows = records.map((record) => sourceFactsRecordSchema.parse(record));
  return run(
    db,
    `update module m set source_commit = c."sourceCommit", source_commit_at = c."sourceCommitAt",
            source_subject = c."sourceSubject", tree = c.tree, third_parties = c."thirdParties", manifest = nullif(c.manifest, 'null'),
            findings = c.findings, problem = c.problem, known = nullif(c.known, 'null'), compared_at = now(),
            moves = m.moves + (case when ${isMoved} then 1 else 0 end),
            moved = case when c."sourceCommit" is not null and (${isMoved} or m.moved is null) then jsonb_build_object('id', c."sourceCommit",
              'subject', c."sourceSubject", 'at', c."sourceCommitAt") else m.moved end
       from jsonb_to_recordset($2::jsonb) as c(module text, "sourceCommit" text, "sourceCommitAt" timestamptz,
            "sourceSubject" text, tree text, "thirdParties" text, manifest jsonb, findings jsonb, problem text, known jsonb)
      where m.mesh = $1 and m.name = c.module
        and (m.compared_at is null
             or (m.source_commit, m.source_commit_at, m.source_subject, m.tree, m.third_parties, m.manifest, m.findings, m.problem, m.known)
                is distinct from
                (c."sourceCommit", c."sourceCommitAt", c."sourceSubject", c.tree, c."thirdParties", nullif(c.manifest, 'null'), c.findings, c.problem, nullif(c.known, 'null')))`,
    [mesh, storableJson(rows)],
  );
}
