import { z } from "zod";
import { conditionSchema, type Condition } from "../core/condition.ts";
import type { Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, one, run } from "./rows.ts";
import { storableJson, storableText } from "./storable.ts";

const conditionRowSchema = z
  .object({ ...conditionSchema.shape, since: timeColumn, lastSeen: timeColumn })
  .pipe(conditionSchema);

const columns = `code, subject, message, remedy, urgent, since, last_seen as "lastSeen", count`;

export type Observation = Pick<Condition, "code" | "subject" | "message" | "remedy" | "urgent">;

/** Seen (again): the beginning is kept, the count rises, the words are the newest. */
export function observeCondition(db: Queryable, mesh: Name, seen: Observation): Promise<Condition> {
  return one(
    db,
    conditionRowSchema,
    `insert into condition (mesh, code, subject, message, remedy, urgent, since, last_seen, count)
     values ($1, $2, $3, $4, $5, $6, now(), now(), 1)
     on conflict (mesh, code, subject) do update set message = excluded.message, remedy = excluded.remedy,
       urgent = excluded.urgent, last_seen = now(), count = condition.count + 1
     returning ${columns}`,
    [
      mesh,
      seen.code,
      seen.subject,
      storableText(seen.message.slice(0, 2000)),
      storableText(seen.remedy.slice(0, 500)),
      seen.urgent,
    ],
  );
}

/** Conditions whose beginning and count are known from records: written exactly so, and only where it is news. */
export function keepConditions(
  db: Queryable,
  mesh: Name,
  known: readonly (Observation & Pick<Condition, "since" | "count">)[],
): Promise<number> {
  return run(
    db,
    `insert into condition (mesh, code, subject, message, remedy, urgent, since, last_seen, count)
       select $1, code, subject, message, remedy, urgent, since, now(), count
         from jsonb_to_recordset($2::jsonb) as k(code text, subject text, message text, remedy text, urgent boolean,
                                                 since timestamptz, count bigint)
     on conflict (mesh, code, subject) do update set message = excluded.message, remedy = excluded.remedy,
       urgent = excluded.urgent, since = excluded.since, last_seen = now(), count = excluded.count
       where (condition.message, condition.remedy, condition.urgent, condition.since, condition.count)
             is distinct from (excluded.message, excluded.remedy, excluded.urgent, excluded.since, excluded.count)`,
    [
      mesh,
      storableJson(
        known.map(({ message, remedy, ...more }) => ({
          ...more,
          message: message.slice(0, 2000),
          remedy: remedy.slice(0, 500),
        })),
      ),
    ],
  );
}

/** False: there was none. */
export async function clearCondition(
  db: Queryable,
  mesh: Name,
  which: { code: string; subject: string },
): Promise<boolean> {
  return (
    (await run(db, `delete from condition where mesh = $1 and code = $2 and subject = $3`, [
      mesh,
      which.code,
      which.subject,
    ])) === 1
  );
}

/** Several at once. Answers how many there were. */
export function clearConditions(
  db: Queryable,
  mesh: Name,
  which: readonly { readonly code: string; readonly subject: string }[],
): Promise<number> {
  return run(
    db,
    `delete from condition where mesh = $1 and (code, subject) in (
       select code, subject from jsonb_to_recordset($2::jsonb) as w(code text, subject text))`,
    [mesh, storableJson(which.map(({ code, subject }) => ({ code, subject })))],
  );
}

/** Those of one code about anything else: there is one such thing, and it has another name now. Answers how many. */
export function clearOtherConditions(
  db: Queryable,
  mesh: Name,
  which: { code: string; subject: string },
): Promise<number> {
  return run(db, `delete from condition where mesh = $1 and code = $2 and subject <> $3`, [
    mesh,
    which.code,
    which.subject,
  ]);
}

/** Those of one code that nobody saw for so long. Answers how many. */
export function clearQuietConditions(
  db: Queryable,
  mesh: Name,
  which: { code: string; quietMs: number },
): Promise<number> {
  return run(
    db,
    `delete from condition
      where mesh = $1 and code = $2 and last_seen < now() - $3::float8 * interval '1 millisecond'`,
    [mesh, which.code, which.quietMs],
  );
}

/** Those of one code, about nodes whose host was enrolled since they were last seen: what was seen was another host. */
export function clearBeforeEnrolment(db: Queryable, mesh: Name, code: string): Promise<number> {
  return run(
    db,
    `delete from condition c using node n
      where c.mesh = $1 and c.code = $2 and n.mesh = c.mesh and n.name = c.subject and n.enrolled_at > c.last_seen`,
    [mesh, code],
  );
}

/** Urgent ones first, then the oldest. */
export function listConditions(db: Queryable, mesh: Name): Promise<Condition[]> {
  return many(
    db,
    conditionRowSchema,
    `select ${columns} from condition where mesh = $1 order by urgent desc, since, code, subject`,
    [mesh],
  );
}
