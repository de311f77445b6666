import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { one } from "./rows.ts";

const removalSchema = z.object({
  known: z.boolean(),
  removed: z.boolean(),
  assignedTo: z.array(nameSchema),
  carriedBy: z.array(nameSchema),
  /** By others; each with the first place that makes it. */
  imports: z.array(
    z.object({
      module: nameSchema,
      kind: z.enum(["build", "test"]),
      file: z.string(),
      line: z.number().int(),
      lastKnown: z.boolean(),
    }),
  ),
});

/** Not `removed`: it is not `known`, or one of the three lists says why. */
export type ModuleRemoval = z.output<typeof removalSchema>;

/**
 * Takes a registration away, with its edges and what was said of it, and the branch that only it followed with what was
 * said of that: nothing watches them any more. Not while
 * it is assigned or a node was last sent it (a send recorded without its builds may hold anything); both are asked in
 * the statement that removes. Builds, artifacts and provisions are history and stay. What others import goes only where that
 * is said to be meant.
 */
export function removeModule(
  db: Queryable,
  mesh: Name,
  name: Name,
  { whereImported }: { readonly whereImported: "stays" | "goes" },
): Promise<ModuleRemoval> {
  return one(
    db,
    removalSchema,
    `with assigned as (select node from assignment where mesh = $1 and module = $2),
     carried as (
       select n.name as node from node n cross join lateral (
         select builds from declaration
          where mesh = n.mesh and node = n.name order by epoch desc, number desc limit 1) d
        where n.mesh = $1 and (d.builds is null or d.builds ? $2)),
     imported as (
       select module, kind, file, line, last_known as "lastKnown" from module_edge where mesh = $1 and dependency = $2 and module <> $2),
     removed as (
       delete from module where mesh = $1 and name = $2
          and not exists (select from assigned) and not exists (select from carried)
          and ($3 = 'goes' or not exists (select from imported))
        returning mesh, repository, branch),
     unfollowed as (
       select r.* from removed r
        where not exists (select from module m where m.mesh = r.mesh and m.repository = r.repository
                             and m.branch = r.branch and m.name <> $2)),
     heads as (
       delete from source_head h using unfollowed u
        where h.mesh = u.mesh and h.repository = u.repository and h.branch = u.branch),
     conditions as (
       delete from condition c using unfollowed u
        where c.mesh = u.mesh and c.code in ('source-unreachable', 'source-not-fetched') and c.subject = u.repository || '#' || u.branch),
     said as (
       delete from condition c using removed r
        where c.mesh = r.mesh and (
          (c.subject = $2 and c.code in ('build-outstanding', 'build-unfit', 'not-reproducible', 'second-build-failing'))
          or (c.code = 'step-failed' and starts_with(c.subject, 'build ' || $2 || '@'))))
     select exists (select from module where mesh = $1 and name = $2) as known,
            exists (select from removed) as removed,
            array(select node from assigned order by node) as "assignedTo",
            array(select node from carried order by node) as "carriedBy",
            coalesce((select jsonb_agg(to_jsonb(i) order by module, kind, file, line) from imported i), '[]') as imports`,
    [mesh, name, whereImported],
  );
}
