import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { manifestSchema } from "../core/manifest.ts";
import {
  branchSchema,
  digestSchema,
  nameSchema,
  objectIdSchema,
  treePathSchema,
  type Digest,
  type Name,
} from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, run } from "./rows.ts";
import { storableJson, storableText } from "./storable.ts";

export const standingSchema = z.enum([
  "current",
  "out-of-date",
  "waiting",
  "unfit",
  "outstanding",
  "building",
  "new",
  "broken",
]);
export type Standing = z.infer<typeof standingSchema>;

/** Something a reader noticed in a module's source, e.g. an import it cannot follow (case 12). */
export const findingSchema = z.object({
  severity: z.enum(["error", "warning"]),
  file: z.string(),
  line: z.number().int(),
  message: z.string(),
});

export const moduleSourceSchema = z.strictObject({
  name: nameSchema,
  repository: nameSchema,
  branch: branchSchema,
  path: treePathSchema,
});
export type ModuleSource = z.infer<typeof moduleSourceSchema>;

/** What one comparison found out about one module. */
export const comparisonRecordSchema = z.strictObject({
  module: nameSchema,
  /** Null: the branch or the folder is not there. */
  sourceCommit: objectIdSchema.nullable(),
  sourceCommitAt: z.iso.datetime({ offset: true }).nullable(),
  sourceSubject: z.string().nullable(),
  tree: objectIdSchema.nullable(),
  /** Null: there is none that can be read; `standing` says why. */
  manifest: manifestSchema.nullable(),
  findings: z.array(findingSchema),
  /** Null: cannot be known yet. */
  wantedInputs: digestSchema.nullable(),
  standing: standingSchema,
  standingWhy: z.string(),
});
export type ComparisonRecord = z.infer<typeof comparisonRecordSchema>;

const moduleRecordSchema = z.object({
  ...moduleSourceSchema.shape,
  registeredAt: timeColumn,
  sourceCommit: objectIdSchema.nullable(),
  sourceCommitAt: timeColumn.nullable(),
  sourceSubject: z.string().nullable(),
  tree: objectIdSchema.nullable(),
  manifest: manifestSchema.nullable(),
  findings: z.array(findingSchema),
  wantedInputs: digestSchema.nullable(),
  standing: standingSchema,
  standingWhy: z.string(),
  /** Inputs and digest of the newest fit artifact. */
  fitInputs: digestSchema.nullable(),
  fitArtifact: digestSchema.nullable(),
  comparedAt: timeColumn.nullable(),
});
export type ModuleRecord = z.output<typeof moduleRecordSchema>;

const columns = `name, repository, branch, path, registered_at as "registeredAt", source_commit as "sourceCommit",
  source_commit_at as "sourceCommitAt", source_subject as "sourceSubject", tree, manifest, findings,
  wanted_inputs as "wantedInputs", standing, standing_why as "standingWhy", fit_inputs as "fitInputs",
  fit_artifact as "fitArtifact", compared_at as "comparedAt"`;

/** Registers a module; the same again changes nothing. Another source under a known name is refused. */
export async function addModule(db: Queryable, mesh: Name, source: ModuleSource): Promise<void> {
  const { name, repository, branch, path } = moduleSourceSchema.parse(source);
  const changed = await run(
    db,
    `insert into module (mesh, name, repository, branch, path) values ($1, $2, $3, $4, $5)
     on conflict (mesh, name) do update set path = excluded.path
       where (module.repository, module.branch, module.path) = (excluded.repository, excluded.branch, excluded.path)`,
    [mesh, name, repository, branch, path],
  );
  if (changed === 0)
    throw new InputError(`module ${name} is registered with another source`, `see mesh module show ${name}`);
}

export function getModule(db: Queryable, mesh: Name, name: Name): Promise<ModuleRecord | null> {
  return maybeOne(db, moduleRecordSchema, `select ${columns} from module where mesh = $1 and name = $2`, [mesh, name]);
}

export function listModules(db: Queryable, mesh: Name): Promise<ModuleRecord[]> {
  return many(db, moduleRecordSchema, `select ${columns} from module where mesh = $1 order by name`, [mesh]);
}

/**
 * Writes what a comparison saw, all modules in one statement. Modules about which nothing is new are not
 * written, so a comparison without change costs no write. Answers how many changed.
 */
export function recordComparisons(db: Queryable, mesh: Name, records: readonly ComparisonRecord[]): Promise<number> {
  const rows = records.map((record) => comparisonRecordSchema.parse(record));
  return run(
    db,
    `update module m set source_commit = c."sourceCommit", source_commit_at = c."sourceCommitAt",
            source_subject = c."sourceSubject", tree = c.tree, manifest = nullif(c.manifest, 'null'), findings = c.findings,
            wanted_inputs = c."wantedInputs", standing = c.standing, standing_why = c."standingWhy", compared_at = now()
       from jsonb_to_recordset($2::jsonb) as c(module text, "sourceCommit" text, "sourceCommitAt" timestamptz,
            "sourceSubject" text, tree text, manifest jsonb, findings jsonb, "wantedInputs" text, standing text, "standingWhy" text)
      where m.mesh = $1 and m.name = c.module
        and (m.source_commit, m.source_commit_at, m.source_subject, m.tree, m.manifest, m.findings, m.wanted_inputs,
             m.standing, m.standing_why)
          is distinct from
            (c."sourceCommit", c."sourceCommitAt", c."sourceSubject", c.tree, nullif(c.manifest, 'null'), c.findings,
             c."wantedInputs", c.standing, c."standingWhy")`,
    [mesh, storableJson(rows)],
  );
}

/** The newest fit artifact, and the inputs it was built from. False: no such module. */
export async function recordFit(
  db: Queryable,
  mesh: Name,
  fit: { module: Name; inputs: Digest; artifact: Digest },
): Promise<boolean> {
  const changed = await run(db, `update module set fit_inputs = $3, fit_artifact = $4 where mesh = $1 and name = $2`, [
    mesh,
    fit.module,
    digestSchema.parse(fit.inputs),
    digestSchema.parse(fit.artifact),
  ]);
  return changed === 1;
}

/** False: no such module. */
export async function recordStanding(
  db: Queryable,
  mesh: Name,
  standing: { module: Name; standing: Standing; why: string },
): Promise<boolean> {
  const changed = await run(db, `update module set standing = $3, standing_why = $4 where mesh = $1 and name = $2`, [
    mesh,
    standing.module,
    standing.standing,
    storableText(standing.why),
  ]);
  return changed === 1;
}
