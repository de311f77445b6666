import { z } from "zod";
import { closureSchema, outstandingClassSchema, type Closure, type Verdict } from "../core/artifact.ts";
import { digestSchema, nameSchema, objectIdSchema, type Digest, type Name, type ObjectId } from "../core/names.ts";
import { isHeard } from "./build-times.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { cutFindings } from "../decide/cut-findings.ts";
import { findingSchema, movedSchema } from "./modules.ts";
import { many, maybeOne, run } from "./rows.ts";
import { storableJson, storableText } from "./storable.ts";

export const buildRecordSchema = z.object({
  module: nameSchema,
  inputs: digestSchema,
  closure: closureSchema,
  commit: objectIdSchema,
  /** As the module's record had them when it was claimed; null: claimed by an older version. */
  moved: movedSchema.nullable(),
  moves: bigintColumn.nullable(),
  state: z.enum(["building", "fit", "unfit", "outstanding"]),
  claimant: z.string(),
  /** Digest of what came out, when fit. */
  artifact: digestSchema.nullable(),
  stage: z.enum(["compile", "test", "manifest", "import"]).nullable(),
  class: outstandingClassSchema.nullable(),
  message: z.string(),
  logTail: z.string(),
  /** What the builder noticed. */
  findings: z.array(findingSchema),
  attempts: z.number().int(),
  /** Outstanding: not to be tried again before. */
  nextTryAt: timeColumn.nullable(),
  startedAt: timeColumn,
  endedAt: timeColumn.nullable(),
  /** Outstanding for the same reason on end: how often, and since when. */
  classCount: z.number().int(),
  classSince: timeColumn.nullable(),
  /** When its worker was last heard of; null: never since it began. */
  seenAt: timeColumn.nullable(),
  /** The whole log of the newest attempt that ended, in the artifact store. */
  logBlob: digestSchema.nullable(),
  logBytes: bigintColumn.nullable(),
});
export type BuildRecord = z.output<typeof buildRecordSchema>;

const columns = `module, inputs, closure, commit, moved, moves, state, claimant, artifact, stage, class, message, log_tail as "logTail", findings,
  attempts, next_try_at as "nextTryAt", started_at as "startedAt", ended_at as "endedAt",
  class_count as "classCount", class_since as "classSince", seen_at as "seenAt", log_blob as "logBlob", log_bytes as "logBytes"`;

export interface BuildClaim {
  readonly module: Name;
  readonly inputs: Digest;
  readonly closure: Closure;
  readonly commit: ObjectId;
  /** Who builds, e.g. the workflow's id: it may claim again what it already claimed. */
  readonly claimant: string;
  /** A `building` by somebody else that was not heard of for longer is taken over. */
  readonly staleMs: number;
}

/**
 * `claimed`: build it; `attempt` fences the verdict. `judged`: there is a verdict that counts (fit or unfit).
 * `building`: somebody else is at it.
 */
export type ClaimResult =
  | { readonly kind: "claimed"; readonly attempt: number }
  | { readonly kind: "judged"; readonly build: BuildRecord }
  | { readonly kind: "building"; readonly build: BuildRecord };

/** At most one of any number of claimants gets `claimed` for one (module, inputs) at a time (R9). */
export async function claimBuild(db: Queryable, mesh: Name, claim: BuildClaim): Promise<ClaimResult> {
  const claimed = await tryClaim(db, mesh, claim);
  if (claimed !== null) return { kind: "claimed", attempt: claimed.attempts };
  const build = await getBuild(db, mesh, claim.module, claim.inputs);
  if (build === null) throw new Error(`the build of ${claim.module} at ${claim.inputs} was neither claimed nor there`);
  // An outstanding one is only seen here when its builder gave up in between: asked again, it is claimed.
  return build.state === "building" || build.state === "outstanding"
    ? { kind: "building", build }
    : { kind: "judged", build };
}

function tryClaim(db: Queryable, mesh: Name, claim: BuildClaim): Promise<{ attempts: number } | null> {
  return maybeOne(
    db,
    z.object({ attempts: z.number().int() }),
    `insert into build as b (mesh, module, inputs, closure, commit, moved, moves, state, claimant, attempts)
       values ($1, $2, $3, $4, $5, (select moved from module where mesh = $1 and name = $2),
               (select moves from module where mesh = $1 and name = $2), 'building', $6, 1)
     on conflict (mesh, module, inputs) do update set state = 'building', claimant = excluded.claimant, commit = excluded.commit, moved = excluded.moved, moves = excluded.moves,
       attempts = b.attempts + 1, started_at = now(), seen_at = null, ended_at = null, next_try_at = null,
       class = case when b.state = 'building' then 'lost-worker' else b.class end,
       class_count = case when b.state <> 'building' then b.class_count when b.class = 'lost-worker' then b.class_count + 1 else 1 end,
       class_since = case when b.state = 'building' and b.class is distinct from 'lost-worker' then now() else b.class_since end
       where b.state = 'outstanding'
          or (b.state = 'building' and (b.claimant = excluded.claimant or not ${isHeard("$7", "b")}))
     returning attempts`,
    [
      mesh,
      claim.module,
      digestSchema.parse(claim.inputs),
      storableJson(closureSchema.parse(claim.closure)),
      objectIdSchema.parse(claim.commit),
      claim.claimant,
      claim.staleMs,
    ],
  );
}

export interface VerdictRecord {
  readonly module: Name;
  readonly inputs: Digest;
  /** Of the claim: a verdict of an attempt that was taken over does not count. */
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly logTail: string;
  /** What the builder noticed; its first ones are kept. */
  readonly findings?: readonly z.infer<typeof findingSchema>[];
  /** The whole log, where it could be kept. */
  readonly log?: { readonly blob: Digest; readonly bytes: number } | null;
  /** Outstanding: when to try again, from now. */
  readonly retryInMs?: number;
}

/** False: this attempt was taken over, or judged already; nothing was written. */
export async function recordVerdict(db: Queryable, mesh: Name, record: VerdictRecord): Promise<boolean> {
  const { verdict } = record;
  const changed = await run(
    db,
    `update build set state = $5, artifact = $6, stage = $8, class = $7, message = $9, log_tail = $10, ended_at = now(),
            next_try_at = now() + $11::float8 * interval '1 millisecond', findings = $12, log_blob = $13, log_bytes = $14,
            class_count = case when $7::text is null then 0 when class = $7 then class_count + 1 else 1 end,
            class_since = case when $7::text is null then null when class = $7 then coalesce(class_since, now()) else now() end
      where mesh = $1 and module = $2 and inputs = $3 and attempts = $4 and state = 'building'`,
    [
      mesh,
      record.module,
      record.inputs,
      record.attempt,
      verdict.verdict,
      verdict.verdict === "fit" ? verdict.artifact : null,
      verdict.verdict === "outstanding" ? verdict.class : null,
      verdict.verdict === "unfit" ? verdict.stage : null,
      verdict.verdict === "fit" ? "" : storableText(verdict.message),
      storableText(record.logTail),
      verdict.verdict === "outstanding" ? (record.retryInMs ?? 0) : null,
      storableJson(cutFindings(record.findings ?? [])),
      record.log?.blob ?? null,
      record.log?.bytes ?? null,
    ],
  );
  return changed === 1;
}

export function getBuild(db: Queryable, mesh: Name, module: Name, inputs: Digest): Promise<BuildRecord | null> {
  return maybeOne(
    db,
    buildRecordSchema,
    `select ${columns} from build where mesh = $1 and module = $2 and inputs = $3`,
    [mesh, module, inputs],
  );
}

/** Newest first. */
export function listBuilds(db: Queryable, mesh: Name, module: Name, limit: number): Promise<BuildRecord[]> {
  return many(
    db,
    buildRecordSchema,
    `select ${columns} from build where mesh = $1 and module = $2 order by started_at desc limit $3`,
    [mesh, module, limit],
  );
}

const buildStateSchema = buildRecordSchema.pick({
  module: true,
  inputs: true,
  state: true,
  artifact: true,
  class: true,
  message: true,
});
export type BuildState = z.output<typeof buildStateSchema>;

/** How the builds at any of these inputs stand, without what they printed: of thousands, 64 KiB each would not fit. */
export function listBuildStates(db: Queryable, mesh: Name, inputs: readonly Digest[]): Promise<BuildState[]> {
  return many(
    db,
    buildStateSchema,
    `select module, inputs, state, artifact, class, message from build where mesh = $1 and inputs = any($2::text[])`,
    [mesh, inputs],
  );
}

/** All builds at any of these inputs: what a comparison needs to know, in one read. */
export function listBuildsByInputs(db: Queryable, mesh: Name, inputs: readonly Digest[]): Promise<BuildRecord[]> {
  return many(
    db,
    buildRecordSchema,
    `select ${columns} from build where mesh = $1 and inputs = any($2::text[]) order by module, inputs`,
    [mesh, inputs],
  );
}

/** Fit builds by what came out of them, the newest first: several closures can give one artifact. */
export function listFitBuilds(db: Queryable, mesh: Name, artifacts: readonly Digest[]): Promise<BuildRecord[]> {
  return many(
    db,
    buildRecordSchema,
    `select ${columns} from build where mesh = $1 and artifact = any($2::text[]) and state = 'fit'
      order by module, started_at desc, inputs`,
    [mesh, artifacts],
  );
}

/** Under way by the records, and its worker was not heard of for so long. */
export function listLostBuilds(db: Queryable, mesh: Name, lostAfterMs: number): Promise<BuildRecord[]> {
  return many(
    db,
    buildRecordSchema,
    `select ${columns} from build
      where mesh = $1 and state = 'building' and not ${isHeard("$2")}
      order by module, inputs`,
    [mesh, lostAfterMs],
  );
}

/** False: another attempt has taken it over, or it is judged. */
export async function touchBuild(
  db: Queryable,
  mesh: Name,
  { module, inputs, attempt }: { readonly module: Name; readonly inputs: Digest; readonly attempt: number },
): Promise<boolean> {
  return (
    (await run(
      db,
      `update build set seen_at = now()
        where mesh = $1 and module = $2 and inputs = $3 and attempts = $4 and state = 'building'`,
      [mesh, module, inputs, attempt],
    )) === 1
  );
}
