import { z } from "zod";
import type { Name } from "../core/names.ts";
import { dueWords } from "../decide/own-reasons.ts";
import { autoDueRows } from "./auto-due.ts";
import { isDue, isHeard } from "./build-times.ts";
import type { Queryable } from "./database.ts";
import { one } from "./rows.ts";
import { comparedAt, joinHead } from "./source-commit.ts";

/**
 * A person's push: what it sent, or told, may let a policy's go on that could not before. Each node once after the newest such
 * push: one that is kept back all the same waits for the next, or for a look. One that ended at a time to come is of a clock that
 * was ahead: no push of a policy would be after it. Read at each poll: the pushes by their index, and
 * what the pushes of policies named, which is all that was due, once for all nodes.
 */
const sincePersonsPush = `with ended as materialized (
       select max(p.ended_at) as at from push p
        where p.mesh = $1 and p.kind <> 'auto' and p.opened_at > now() - interval '1 day'
          and p.ended_at between now() - interval '10 minutes' and now()),
     followed as materialized (
       select distinct named.node from ended, push t, jsonb_array_elements_text(t.named) as named (node)
        where t.mesh = $1 and t.kind = 'auto' and t.opened_at >= ended.at)`;

const policiesToFollow = `(select '${dueWords.policies}: ' || string_agg(distinct due.module, ', ') from (${autoDueRows}) due
   where due.node not in (select node from followed)
     and not exists (select from mesh where name = $1 and stopped_at is not null))`;

/**
 * What did not come the last time, of a source that answers: its tip is the one that was compared, so nothing of it moves when
 * it can be read again.
 */
const unfetched = `(select '${dueWords.unfetched}: ' || string_agg(c.subject, ', ' order by c.subject)
   from source_head h
   join condition c on c.mesh = h.mesh and c.code = 'source-not-fetched' and c.subject = h.repository || '#' || h.branch
  where h.mesh = $1 and h.failing_since is null
    and exists (select from module m where m.mesh = h.mesh and m.repository = h.repository and m.branch = h.branch))`;

/** For the others it is not known which source they wait for: one that does not answer keeps all of them. */
const unread = `(select '${dueWords.unread}: ' || string_agg(name, ', ' order by name) from module
  where mesh = $1 and unread is not null
    and not exists (select from module m join source_head h
                        on h.mesh = m.mesh and h.repository = m.repository and h.branch = m.branch
                     where m.mesh = $1 and h.failing_since is not null))`;

/** What imports a module whose registration was taken back, and was not told so: its row still says how it stood before. */
const unpublished = `(select '${dueWords.unpublished}: ' || string_agg(distinct m.name, ', ' order by m.name) from module_edge e
   join module m on m.mesh = e.mesh and m.name = e.module
  where e.mesh = $1 and not e.last_known and m.standing <> 'broken' and m.unread is null
    and not exists (select from module d where d.mesh = e.mesh and d.name = e.dependency))`;

/**
 * What reconcile has to look at, as a sentence; null: nothing. A tip that the last comparison did not see, a module that
 * was never compared, what could not be fetched or read and now may be, an import of a module that was removed, a build that a policy declares and that a person's push may have let go on, a newer commit that was
 * held back, a build that is due again, or one that was planned, begun or judged and that nobody seems to go on with: after `lostAfterMs` without a verdict it is asked about, and whoever plans next knows who builds it.
 */
export async function describeDue(db: Queryable, mesh: Name, lostAfterMs: number): Promise<string | null> {
  const row = await one(
    db,
    z.object({ why: z.string().nullable() }),
    `${sincePersonsPush}
     select nullif(concat_ws('; ',
       (select '${dueWords.moved}: ' || string_agg(repository || '#' || branch || ' at ' || left(commit, 7), ', ' order by repository, branch)
          from source_head h where mesh = $1 and commit is distinct from compared_commit and commit is not null
           and exists (select from module m
                        where m.mesh = h.mesh and m.repository = h.repository and m.branch = h.branch)),
       (select '${dueWords.unseen}: ' || string_agg(name, ', ' order by name) from module m
          where mesh = $1 and compared_at is null
            and exists (select from source_head h where h.mesh = m.mesh and h.repository = m.repository
                         and h.branch = m.branch and h.commit is not null)),
       ${unfetched},
       ${unread},
       ${unpublished},
       (select '${dueWords.held}: ' || string_agg(name, ', ' order by name) from module
          where mesh = $1 and held_commit is not null),
       (select '${dueWords.again}: ' || string_agg(distinct b.module, ', ') from build b
          join module m on m.mesh = b.mesh and m.name = b.module and m.wanted_inputs = b.inputs
         where b.mesh = $1 and b.state = 'outstanding' and ${isDue("b")}),
       (select '${dueWords.judged}: ' || string_agg(m.name, ', ' order by m.name) from module m
          join build b on b.mesh = m.mesh and b.module = m.name and b.inputs = m.wanted_inputs
         where m.mesh = $1 and ((b.state = 'fit' and m.standing <> 'current') or (b.state = 'unfit' and m.standing <> 'unfit')
           or (b.state = 'outstanding' and m.standing = 'building'))),
       (select '${dueWords.planned}: ' || string_agg(m.name, ', ' order by m.name) from module m ${joinHead}
         where m.mesh = $1 and m.standing = 'out-of-date' and ${comparedAt} not between now() - $2 * interval '1 millisecond' and now() + $2 * interval '1 millisecond'
           and not exists (select from build b
                            where b.mesh = m.mesh and b.module = m.name and b.inputs = m.wanted_inputs)),
       (select '${dueWords.silent}: ' || string_agg(distinct b.module, ', ') from build b
          join module m on m.mesh = b.mesh and m.name = b.module and m.wanted_inputs = b.inputs
         where b.mesh = $1 and b.state = 'building' and not ${isHeard("$2", "b")}),
       case when (select at from ended) is not null then ${policiesToFollow} end
     ), '') as why`,
    [mesh, lostAfterMs],
  );
  return row.why;
}
