import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { many } from "./rows.ts";

/** Those among these that the node was sent last, or that are assigned to it, in their order. */
export async function listModulesOf(
  db: Queryable,
  mesh: Name,
  { node, among }: { readonly node: Name; readonly among: readonly string[] },
): Promise<Name[]> {
  const found = await many(
    db,
    z.object({ module: nameSchema }),
    // A send from before sends recorded their builds says nothing of its modules: what is assigned does.
    `with last as materialized (
       select builds from declaration where mesh = $1 and node = $2 order by epoch desc, number desc limit 1)
     select module from unnest($3::text[]) with ordinality as a (module, place)
      where exists (select from last where builds ? module)
         or exists (select from assignment t where t.mesh = $1 and t.node = $2 and t.module = a.module)
      order by place`,
    [mesh, node, among],
  );
  return found.map(({ module }) => module);
}
