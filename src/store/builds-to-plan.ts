import type { z } from "zod";
import type { Digest, Name } from "../core/names.ts";
import { buildRecordSchema } from "./builds.ts";
import type { Queryable } from "./database.ts";
import { many } from "./rows.ts";
import { storableJson } from "./storable.ts";

/** A build without its log and findings: plans read those of every module, and a log has up to 64 KiB. */
const plannedBuildSchema = buildRecordSchema.omit({
  logTail: true,
  findings: true,
  stage: true,
  class: true,
  classCount: true,
  classSince: true,
  logBlob: true,
  logBytes: true,
});
export type PlannedBuildRecord = z.output<typeof plannedBuildSchema>;

const columns = `module, inputs, closure, commit, moved, moves, state, claimant, artifact, message, attempts,
  next_try_at as "nextTryAt", started_at as "startedAt", seen_at as "seenAt", ended_at as "endedAt"`;

/** All builds at any of these inputs: what a plan needs to know, in one read. */
export function listBuildsToPlan(db: Queryable, mesh: Name, inputs: readonly Digest[]): Promise<PlannedBuildRecord[]> {
  return many(
    db,
    plannedBuildSchema,
    `select ${columns} from build where mesh = $1 and inputs = any($2::text[]) order by module, inputs`,
    [mesh, inputs],
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
