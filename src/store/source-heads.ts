import { z } from "zod";
import { nameSchema, objectIdSchema, type Name, type ObjectId } from "../core/names.ts";
import type { FollowedBranch } from "../decide/judge-source.ts";
import { ageColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, run } from "./rows.ts";
import { joinHead } from "./source-commit.ts";
import { storableText } from "./storable.ts";

export interface HeadId {
  readonly repository: Name;
  readonly branch: string;
}

const sourceHeadSchema = z.object({
  repository: nameSchema,
  branch: z.string(),
  url: z.string(),
  /** The last good tip; null: never looked at, or it never answered. */
  commit: objectIdSchema.nullable(),
  /** When it was seen first: null where nothing says so yet. */
  commitSeenAt: timeColumn.nullable(),
  lookedAt: timeColumn.nullable(),
  /** How old our knowledge of it is; null: there is none. */
  ageMs: ageColumn.nullable(),
  /** The tip that the last whole comparison saw. */
  comparedCommit: objectIdSchema.nullable(),
  /** The tip that modules which are not read again are known at. */
  factsCommit: objectIdSchema.nullable(),
  failingSince: timeColumn.nullable(),
  failure: z.string().nullable(),
  /** The newest look that failed; null: none did since the last good one. */
  failedAt: timeColumn.nullable(),
});
export type SourceHead = z.output<typeof sourceHeadSchema>;

/** A look takes its time: what was removed meanwhile does not come back by it. */
const whereFollowed = `where exists (select from module where mesh = $1 and repository = $2 and branch = $3)`;

/** Every branch that some module follows, looked at or not. */
export function listHeads(db: Queryable, mesh: Name): Promise<SourceHead[]> {
  return many(
    db,
    sourceHeadSchema,
    `select f.repository, f.branch, r.url, h.commit, h.commit_seen_at as "commitSeenAt", h.looked_at as "lookedAt",
            extract(epoch from now() - h.looked_at)::float8 * 1000 as "ageMs",
            h.compared_commit as "comparedCommit", h.facts_commit as "factsCommit", h.failing_since as "failingSince", h.failure,
            h.failed_at as "failedAt"
       from (select distinct mesh, repository, branch from module where mesh = $1) f
       join repository r on r.mesh = f.mesh and r.name = f.repository
       left join source_head h on h.mesh = f.mesh and h.repository = f.repository and h.branch = f.branch
      order by f.repository, f.branch`,
    [mesh],
  );
}

/** The branch of each module, looked at or not. */
export async function listFollowed(db: Queryable, mesh: Name): Promise<Map<Name, FollowedBranch>> {
  const rows = await many(
    db,
    sourceHeadSchema
      .omit({ url: true, ageMs: true, factsCommit: true, failure: true, failedAt: true })
      .extend({ name: nameSchema }),
    `select m.name, m.repository, m.branch, h.commit, h.commit_seen_at as "commitSeenAt", h.looked_at as "lookedAt",
            h.compared_commit as "comparedCommit", h.failing_since as "failingSince"
       from module m ${joinHead} where m.mesh = $1`,
    [mesh],
  );
  return new Map(rows.map(({ name, ...branch }) => [name, branch]));
}

/**
 * The source answered: this is its tip. Ends a failure. Changes nothing where no module follows it (any more), or where an
 * answer to a later question is there (one from the future is of a clock that was put right since). It counts from when it
 * was asked: what was pushed after that is not in the answer.
 */
export async function recordLook(
  db: Queryable,
  mesh: Name,
  head: HeadId & { readonly commit: ObjectId; readonly askedMsAgo: number },
): Promise<void> {
  await run(
    db,
    `insert into source_head (mesh, repository, branch, commit, commit_seen_at, looked_at)
       select $1, $2, $3, $4, now(), now() - $5::float8 * interval '1 millisecond' ${whereFollowed}
     on conflict (mesh, repository, branch) do update set commit = excluded.commit, looked_at = excluded.looked_at,
       commit_seen_at = case when source_head.commit = excluded.commit then source_head.commit_seen_at else now() end,
       failing_since = null, failure = null, failed_at = null
       where source_head.looked_at is null or source_head.looked_at <= excluded.looked_at
             or source_head.looked_at > now()`,
    [mesh, head.repository, head.branch, objectIdSchema.parse(head.commit), head.askedMsAgo],
  );
}

/**
 * The source did not answer, or not with a tip: the last good stays, and the failure keeps its beginning. False: no
 * module follows it (any more).
 */
export async function recordLookFailure(
  db: Queryable,
  mesh: Name,
  head: HeadId & { failure: string },
): Promise<boolean> {
  const changed = await run(
    db,
    `insert into source_head (mesh, repository, branch, failing_since, failure, failed_at)
       select $1, $2, $3, now(), $4, now() ${whereFollowed}
     on conflict (mesh, repository, branch) do update set failure = excluded.failure, failed_at = now(),
       failing_since = coalesce(source_head.failing_since, now())`,
    [mesh, head.repository, head.branch, storableText(head.failure.slice(0, 2000))],
  );
  return changed === 1;
}

/** A whole comparison has seen this tip. False: the head is not known. */
export async function recordCompared(db: Queryable, mesh: Name, head: HeadId & { commit: ObjectId }): Promise<boolean> {
  const changed = await run(
    db,
    `update source_head set compared_commit = $4 where mesh = $1 and repository = $2 and branch = $3`,
    [mesh, head.repository, head.branch, objectIdSchema.parse(head.commit)],
  );
  return changed === 1;
}

/** See source-commit.ts. Written before the facts themselves, and before the comparison counts. */
export async function recordFactsCommit(
  db: Queryable,
  mesh: Name,
  head: HeadId & { readonly commit: { readonly id: ObjectId; readonly at: string; readonly subject: string } },
): Promise<void> {
  await run(
    db,
    `update source_head set facts_commit = $4, facts_commit_at = $5, facts_subject = $6, facts_at = now()
      where mesh = $1 and repository = $2 and branch = $3`,
    [
      mesh,
      head.repository,
      head.branch,
      objectIdSchema.parse(head.commit.id),
      head.commit.at,
      storableText(head.commit.subject),
    ],
  );
}
