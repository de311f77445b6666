import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { manifestSchema } from "../core/manifest.ts";
import { branchSchema, digestSchema, nameSchema, objectIdSchema, treePathSchema, type Name } from "../core/names.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, run } from "./rows.ts";
import { standingColumn } from "./unread-modules.ts";
import { confirmedAt, joinHead, sourceCommit, sourceCommitAt, sourceSubject } from "./source-commit.ts";

export const standingSchema = z.enum([
  "current",
  "out-of-date",
  "waiting",
  "unfit",
  "outstanding",
  "building",
  "new",
  "broken",
  "cannot-tell",
]);

/** Something a reader noticed in a module's source, e.g. an import it cannot follow (case 12). */
export const findingSchema = z.object({
  severity: z.enum(["error", "warning"]),
  file: z.string(),
  line: z.number().int(),
  message: z.string(),
});

export type Finding = z.infer<typeof findingSchema>;

export const moduleSourceSchema = z.strictObject({
  name: nameSchema,
  repository: nameSchema,
  branch: branchSchema,
  path: treePathSchema,
});
export type ModuleSource = z.infer<typeof moduleSourceSchema>;

/** A commit, for people. */
export const movedSchema = z.object({
  id: objectIdSchema,
  subject: z.string().nullable(),
  at: z.iso
    .datetime({ offset: true })
    .transform((at) => new Date(at).toISOString())
    .nullable(),
});

const moduleRecordSchema = z.object({
  ...moduleSourceSchema.shape,
  registeredAt: timeColumn,
  sourceCommit: objectIdSchema.nullable(),
  sourceCommitAt: timeColumn.nullable(),
  sourceSubject: z.string().nullable(),
  tree: objectIdSchema.nullable(),
  thirdParties: digestSchema.nullable(),
  /** The first commit that was compared with this source; null: not compared since that is kept. */
  moved: movedSchema.nullable(),
  /** How often comparisons saw another source. */
  moves: bigintColumn,
  manifest: manifestSchema.nullable(),
  findings: z.array(findingSchema),
  wantedInputs: digestSchema.nullable(),
  standing: standingSchema,
  standingWhy: z.string(),
  /** Inputs and digest of the newest fit artifact. */
  fitInputs: digestSchema.nullable(),
  fitArtifact: digestSchema.nullable(),
  /** When its source was last compared, or seen to be what was compared. */
  comparedAt: timeColumn.nullable(),
});
export type ModuleRecord = z.output<typeof moduleRecordSchema>;

const select = `select m.name, m.repository, m.branch, m.path, m.registered_at as "registeredAt", ${sourceCommit} as "sourceCommit",
  ${sourceCommitAt} as "sourceCommitAt", ${sourceSubject} as "sourceSubject", m.tree, m.third_parties as "thirdParties",
  m.moved, m.moves, m.manifest, m.findings, m.wanted_inputs as "wantedInputs", ${standingColumn} as standing, m.standing_why as "standingWhy",
  m.fit_inputs as "fitInputs", m.fit_artifact as "fitArtifact", ${confirmedAt} as "comparedAt"
  from module m ${joinHead}`;

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
  return maybeOne(db, moduleRecordSchema, `${select} where m.mesh = $1 and m.name = $2`, [mesh, name]);
}

export function listModules(db: Queryable, mesh: Name): Promise<ModuleRecord[]> {
  return many(db, moduleRecordSchema, `${select} where m.mesh = $1 order by m.name`, [mesh]);
}
