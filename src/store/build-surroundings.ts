import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { maybeOne, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

const wordsSchema = z.record(z.string(), z.string());

/** What the controller builds with: the part of closures that is no module's own (R8). */
export const builtWithSchema = z.strictObject({
  /** Compiler and runtime by language. */
  toolchains: wordsSchema,
  /** Version of the builder's rules by language. */
  builders: wordsSchema,
  /** By repository: settings of the mesh that reach its builds. */
  settings: z.record(nameSchema, wordsSchema),
});
export type BuiltWith = z.infer<typeof builtWithSchema>;

/** Written by the controller at every comparison; only what is new is. */
export function recordBuiltWith(db: Queryable, mesh: Name, builtWith: BuiltWith): Promise<number> {
  const { toolchains, builders, settings } = builtWithSchema.parse(builtWith);
  return run(
    db,
    `insert into build_surroundings as known (mesh, toolchains, builders, settings) values ($1, $2, $3, $4)
     on conflict (mesh) do update set toolchains = excluded.toolchains, builders = excluded.builders,
       settings = excluded.settings, recorded_at = now()
       where (known.toolchains, known.builders, known.settings)
             is distinct from (excluded.toolchains, excluded.builders, excluded.settings)`,
    [mesh, storableJson(toolchains), storableJson(builders), storableJson(settings)],
  );
}

/** Null: no controller has compared anything yet. */
export function readBuiltWith(db: Queryable, mesh: Name): Promise<BuiltWith | null> {
  return maybeOne(
    db,
    builtWithSchema,
    `select toolchains, builders, settings from build_surroundings where mesh = $1`,
    [mesh],
  );
}
