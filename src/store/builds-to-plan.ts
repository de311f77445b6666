import type { z } from "zod";
import type { Digest, Name } from "../core/names.ts";
import { buildRecordSchema } from "./builds.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { planPart } from "./plan-version.ts";
import { many } from "./rows.ts";
import { storableJson } from "./storable.ts";

/** Only what a plan asks: it reads the builds of every module, and a log has up to 64 KiB. */
const plannedBuildSchema = buildRecordSchema
  .pick({
    module: true,
    inputs: true,
    closure: true,
    commit: true,
    moved: true,
    moves: true,
    state: true,
    claimant: true,
    artifact: true,
    message: true,
    nextTryAt: true,
    startedAt: true,
  })
  // When its worker was last heard of; before that, when it began.
  .extend({ heardAt: timeColumn });
export type PlannedBuildRecord = z.output<typeof plannedBuildSchema>;

const columns = `module, inputs, closure, commit, moved, moves, state, claimant, artifact, message,
  next_try_at as "nextTryAt", started_at as "startedAt", coalesce(seen_at, started_at) as "heardAt"`;

/** All builds at any of these inputs: what a plan needs to know, in one read. */
export function listBuildsToPlan(db: Queryable, mesh: Name, inputs: readonly Digest[]): Promise<PlannedBuildRecord[]> {
  return many(
    db,
    plannedBuildSchema,
    `select ${columns} from build where mesh = $1 and inputs = any($2::text[]) order by module, inputs`,
    [mesh, inputs],
  );
}

/** Those at the inputs that modules want, or that were fit. `parts`: only those of modules in these parts (`planPart`). */
export function listPlannedBuilds(db: Queryable, mesh: Name, parts?: readonly number[]): Promise<PlannedBuildRecord[]> {
  return many(
    db,
    plannedBuildSchema,
    `select ${columns} from build where (mesh, module, inputs) in (
        select m.mesh, m.name, unnest(array[m.wanted_inputs, m.fit_inputs]) from module m
         where m.mesh = $1 and ($2::int[] is null or ${planPart("m.name")} = any($2)))
      order by module, inputs`,
    [mesh, parts ?? null],
  );
}

/** Of each of these artifacts the fit build that made it first. */
export function listMakers(
  db: Queryable,
  mesh: Name,
  artifacts: readonly { readonly module: Name; readonly artifact: Digest }[],
): Promise<PlannedBuildRecord[]> {
  return many(
    db,
    plannedBuildSchema,
    `select distinct on (module, artifact) ${columns} from build
      where mesh = $1 and state = 'fit' and (module, artifact) in (
        select module, artifact from jsonb_to_recordset($2::jsonb) as a(module text, artifact text))
      order by module, artifact, started_at`,
    [mesh, storableJson(artifacts)],
  );
}
