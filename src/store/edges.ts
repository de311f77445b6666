import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { planPart } from "./plan-version.ts";
import { many, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

/** A build or test edge, with the first place in the code that makes it (R4, R6). */
export const edgeSchema = z.object({
  module: nameSchema,
  dependency: nameSchema,
  kind: z.enum(["build", "test"]),
  file: z.string(),
  line: z.number().int(),
  /** Of a build edge: every import is of types alone. */
  typesOnly: z.literal(true).optional(),
  /** The newest source does not show it, because not all of that could be read. */
  lastKnown: z.literal(true).optional(),
});
export type Edge = z.infer<typeof edgeSchema>;

export interface ModuleEdges {
  readonly module: Name;
  readonly edges: readonly Omit<Edge, "module">[];
}

/**
 * The edges of these modules are these and no others. One statement: nobody sees a module without its edges, and edges
 * that stay are not rewritten.
 */
export async function replaceEdges(db: Queryable, mesh: Name, modules: readonly ModuleEdges[]): Promise<void> {
  const rows = modules.flatMap(({ module, edges }) => edges.map((edge) => ({ module, ...edge })));
  await run(
    db,
    `with wanted as (
       select * from jsonb_to_recordset($3::jsonb)
         as e(module text, dependency text, kind text, file text, line integer, "typesOnly" boolean, "lastKnown" boolean)),
     gone as (
       delete from module_edge e where e.mesh = $1 and e.module = any($2::text[])
         and not exists (select from wanted w
                          where w.module = e.module and w.dependency = e.dependency and w.kind = e.kind))
     insert into module_edge as known (mesh, module, dependency, kind, file, line, types_only, last_known)
       select $1, w.module, w.dependency, w.kind, w.file, w.line, coalesce(w."typesOnly", false), coalesce(w."lastKnown", false)
         from wanted w
         join module m on m.mesh = $1 and m.name = w.module
     on conflict (mesh, module, dependency, kind) do update set file = excluded.file, line = excluded.line, types_only = excluded.types_only,
         last_known = excluded.last_known
       where (known.file, known.line, known.types_only, known.last_known)
             is distinct from (excluded.file, excluded.line, excluded.types_only, excluded.last_known)`,
    [mesh, modules.map(({ module }) => module), storableJson(rows)],
  );
}

const edgeRowSchema = edgeSchema
  .extend({ typesOnly: z.boolean(), lastKnown: z.boolean() })
  .transform(({ typesOnly, lastKnown, ...edge }): Edge => flagEdge(edge, { typesOnly, lastKnown }));

/** A flag that does not hold is left out. */
export function flagEdge(
  edge: Omit<Edge, "typesOnly" | "lastKnown">,
  { typesOnly, lastKnown }: { readonly typesOnly: boolean; readonly lastKnown: boolean },
): Edge {
  if (!typesOnly && !lastKnown) return edge;
  return { ...edge, ...(typesOnly ? { typesOnly } : {}), ...(lastKnown ? { lastKnown } : {}) };
}

/** `parts`: only those of modules in these parts (`planPart`). */
export function listEdges(db: Queryable, mesh: Name, parts?: readonly number[]): Promise<Edge[]> {
  return many(
    db,
    edgeRowSchema,
    `select module, dependency, kind, file, line, types_only as "typesOnly", last_known as "lastKnown" from module_edge
      where mesh = $1 and ($2::int[] is null or ${planPart("module")} = any($2)) order by module, dependency, kind`,
    [mesh, parts ?? null],
  );
}
