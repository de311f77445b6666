import { z } from "zod";
import type { Digest, Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { many, run } from "./rows.ts";
import { storableText } from "./storable.ts";

/** Of one attempt these many parts are kept, the newest: who follows sees what comes, the whole log is kept elsewhere. */
const partsKept = 64;

/** What a build printed since the part before. */
export interface LogPart {
  readonly module: Name;
  readonly inputs: Digest;
  readonly attempt: number;
  /** From 1. */
  readonly part: number;
  readonly text: string;
}

export async function appendBuildLog(db: Queryable, mesh: Name, part: LogPart): Promise<void> {
  const key = [mesh, part.module, part.inputs, part.attempt, part.part];
  await run(
    db,
    `with old as (delete from build_log
                   where mesh = $1 and module = $2 and inputs = $3 and attempt = $4 and part <= $5::integer - $7::integer)
     insert into build_log (mesh, module, inputs, attempt, part, text) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing`,
    [...key, storableText(part.text), partsKept],
  );
}

const partSchema = z.object({
  module: z.string(),
  inputs: z.string(),
  attempt: z.number().int(),
  part: z.number().int(),
  text: z.string(),
  /** In the order in which they were written, over all builds. */
  at: z.date().transform((at) => at.toISOString()),
});
export type FollowedPart = z.output<typeof partSchema>;

/** Everything of these modules that was written after a moment, oldest first; `modules` empty: of all. */
export function listBuildLog(
  db: Queryable,
  mesh: Name,
  { modules, after }: { readonly modules: readonly Name[]; readonly after: string },
): Promise<FollowedPart[]> {
  return many(
    db,
    partSchema,
    `select module, inputs, attempt, part, text, at from build_log
      where mesh = $1 and at >= $3 and ($2::text[] = '{}' or module = any($2::text[]))
      order by at, module, attempt, part limit 500`,
    [mesh, modules, after],
  );
}

/** Parts that nobody follows any more. Answers how many. */
export function sweepBuildLog(db: Queryable, mesh: Name, olderThanMs: number): Promise<number> {
  return run(db, `delete from build_log where mesh = $1 and at < now() - $2 * interval '1 millisecond'`, [
    mesh,
    olderThanMs,
  ]);
}
