import type { Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { run } from "./rows.ts";
import { storableJson } from "./storable.ts";

/** In SQL, of a module `m`: its standing, where that can be told. */
export const standingColumn = `case when m.unread is not null and m.standing = 'outstanding' then 'cannot-tell' else m.standing end`;

/** In SQL: the word that is kept for a standing. */
export const keptStanding = (standing: string): string =>
  `case ${standing} when 'cannot-tell' then 'outstanding' else ${standing} end`;

/** What could not be read now, with why; every other module could. What is on record of it stays. */
export async function recordUnread(db: Queryable, mesh: Name, unread: ReadonlyMap<Name, string>): Promise<void> {
  const rows = [...unread].map(([name, why]) => ({ name, why: why.slice(0, 2000) }));
  await run(
    db,
    `update module m set unread = u.why
       from module o left join jsonb_to_recordset($2::jsonb) as u(name text, why text) on u.name = o.name
      where o.mesh = $1 and m.mesh = $1 and m.name = o.name and m.unread is distinct from u.why`,
    [mesh, storableJson(rows)],
  );
}
