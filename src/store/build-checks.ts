import { z } from "zod";
import { digestSchema, nameSchema, type Digest, type Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many } from "./rows.ts";

export const buildCheckSchema = z.object({
  module: nameSchema,
  inputs: digestSchema,
  /** Of the first build: it stands, whatever the second gives. */
  artifact: digestSchema,
  why: z.string(),
  state: z.enum(["due", "same", "differs"]),
  second: digestSchema.nullable(),
  /** Which files differ, and how, as sentences. */
  files: z.array(z.string()),
  /** What was another in the second build, as sentences. */
  varied: z.array(z.string()),
  attempts: z.number().int(),
  nextTryAt: timeColumn,
  /** Why the second build could not run the last time; null: it did, or was not tried. */
  failure: z.string().nullable(),
  addedAt: timeColumn,
  checkedAt: timeColumn.nullable(),
});
export type BuildCheck = z.output<typeof buildCheckSchema>;

export const buildCheckColumns = `module, inputs, artifact, why, state, second, files, varied, attempts, next_try_at as "nextTryAt", failure,
  added_at as "addedAt", checked_at as "checkedAt"`;

/** The newest first. */
export function listBuildChecks(db: Queryable, mesh: Name): Promise<BuildCheck[]> {
  return many(
    db,
    buildCheckSchema,
    `select ${buildCheckColumns} from build_check where mesh = $1 order by added_at desc, module`,
    [mesh],
  );
}

/** Second builds at any of these inputs. */
export function listChecksAt(db: Queryable, mesh: Name, inputs: readonly Digest[]): Promise<BuildCheck[]> {
  return many(
    db,
    buildCheckSchema,
    `select ${buildCheckColumns} from build_check where mesh = $1 and inputs = any($2::text[])`,
    [mesh, inputs],
  );
}

/** Of one artifact, the newest first. */
export function listChecksOf(
  db: Queryable,
  mesh: Name,
  which: { readonly module: Name; readonly artifact: Digest },
): Promise<BuildCheck[]> {
  return many(
    db,
    buildCheckSchema,
    `select ${buildCheckColumns} from build_check where mesh = $1 and module = $2 and artifact = $3 order by added_at desc`,
    [mesh, which.module, which.artifact],
  );
}
