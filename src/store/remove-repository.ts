import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { one } from "./rows.ts";

const removalSchema = z.object({ known: z.boolean(), removed: z.boolean(), followedBy: z.array(nameSchema) });

/** Not `removed`: it is not `known`, or modules follow it. */
export type RepositoryRemoval = z.output<typeof removalSchema>;

/** Takes a repository away that no module follows, with what was seen and said of its branches. */
export function removeRepository(db: Queryable, mesh: Name, name: Name): Promise<RepositoryRemoval> {
  return one(
    db,
    removalSchema,
    `with followed as (select name from module where mesh = $1 and repository = $2),
     removed as (
       delete from repository where mesh = $1 and name = $2 and not exists (select from followed)
        returning mesh, name),
     heads as (
       delete from source_head h using removed r where h.mesh = r.mesh and h.repository = r.name),
     conditions as (
       delete from condition c using removed r
        where c.mesh = r.mesh and c.code in ('source-unreachable', 'source-not-fetched') and starts_with(c.subject, r.name || '#'))
     select exists (select from repository where mesh = $1 and name = $2) as known,
            exists (select from removed) as removed,
            array(select name from followed order by name) as "followedBy"`,
    [mesh, name],
  );
}
