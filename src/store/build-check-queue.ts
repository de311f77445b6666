import { z } from "zod";
import type { Name } from "../core/names.ts";
import { buildCheckColumns, buildCheckSchema, type BuildCheck } from "./build-checks.ts";
import { isDue, isHeard } from "./build-times.ts";
import type { Queryable } from "./database.ts";
import { maybeOne, one, run } from "./rows.ts";
import { storableJson, storableText } from "./storable.ts";

/** Has these inputs built a second time; once is enough. */
export async function addBuildCheck(
  db: Queryable,
  mesh: Name,
  check: Pick<BuildCheck, "module" | "inputs" | "artifact" | "why"> & { readonly inMs: number },
): Promise<void> {
  await run(
    db,
    `insert into build_check (mesh, module, inputs, artifact, why, next_try_at)
       values ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 millisecond') on conflict do nothing`,
    [mesh, check.module, check.inputs, check.artifact, check.why, check.inMs],
  );
}

/** Has them built a second time now, whatever was compared before. */
export async function askBuildCheck(
  db: Queryable,
  mesh: Name,
  check: Pick<BuildCheck, "module" | "inputs" | "artifact" | "why">,
): Promise<void> {
  await run(
    db,
    `insert into build_check (mesh, module, inputs, artifact, why, next_try_at) values ($1, $2, $3, $4, $5, now())
     on conflict (mesh, module, inputs) do update set state = 'due', artifact = excluded.artifact, why = excluded.why,
       second = null, files = '[]', varied = '[]', attempts = 0, next_try_at = now(), failure = null, checked_at = null`,
    [mesh, check.module, check.inputs, check.artifact, storableText(check.why)],
  );
}

/**
 * The next second build to run, taken: it is not given out again before `retryInMs`, so that one that kills its worker
 * is not tried without end. One that is further ahead than `farthestTryMs` is due (see build-times.ts). Null: none is due, or modules are being built, which goes first.
 */
export function takeDueCheck(
  db: Queryable,
  mesh: Name,
  options: { readonly retryInMs: number; readonly lostAfterMs: number; readonly farthestTryMs: number },
): Promise<BuildCheck | null> {
  return maybeOne(
    db,
    buildCheckSchema,
    `update build_check c set attempts = attempts + 1, next_try_at = now() + $2::float8 * interval '1 millisecond'
      where (c.mesh, c.module, c.inputs) = (
        select mesh, module, inputs from build_check
         where mesh = $1 and state = 'due' and ${isDue("build_check", "$4::float8")} order by next_try_at limit 1 for update skip locked)
        and not exists (select from build b where b.mesh = $1 and b.state = 'building' and ${isHeard("$3", "b")})
      returning ${buildCheckColumns}`,
    [mesh, options.retryInMs, options.lostAfterMs, options.farthestTryMs],
  );
}

/** A second build as it was taken: one that was asked for since then is another. */
export type TakenCheck = Pick<BuildCheck, "module" | "inputs" | "artifact" | "attempts">;

const stillTaken = `mesh = $1 and module = $2 and inputs = $3 and state = 'due' and artifact = $4 and attempts = $5`;

/** False: it was asked for again meanwhile, and stays due. */
export async function recordCheck(
  db: Queryable,
  mesh: Name,
  check: TakenCheck &
    Pick<BuildCheck, "second"> & {
      readonly state: "same" | "differs";
      readonly files: readonly string[];
      readonly varied: readonly string[];
    },
): Promise<boolean> {
  const changed = await run(
    db,
    `update build_check set state = $6, second = $7, files = $8, varied = $9, failure = null, checked_at = now()
      where ${stillTaken}`,
    [
      mesh,
      check.module,
      check.inputs,
      check.artifact,
      check.attempts,
      check.state,
      check.second,
      storableJson(check.files.map(storableText)),
      storableJson(check.varied),
    ],
  );
  return changed > 0;
}

/** It could not run: said, and tried again later; nothing else follows. False as in `recordCheck`. */
export async function recordCheckFailure(
  db: Queryable,
  mesh: Name,
  check: TakenCheck & { readonly failure: string; readonly retryInMs: number },
): Promise<boolean> {
  const { module, inputs, artifact, attempts, failure, retryInMs } = check;
  const changed = await run(
    db,
    `update build_check set failure = $6, next_try_at = now() + $7::float8 * interval '1 millisecond'
      where ${stillTaken}`,
    [mesh, module, inputs, artifact, attempts, storableText(failure.slice(0, 2000)), retryInMs],
  );
  return changed > 0;
}

/** Nobody can compare with what is no longer kept. False as in `recordCheck`. */
export async function dropBuildCheck(db: Queryable, mesh: Name, check: TakenCheck): Promise<boolean> {
  const { module, inputs, artifact, attempts } = check;
  const changed = await run(db, `delete from build_check where ${stillTaken}`, [
    mesh,
    module,
    inputs,
    artifact,
    attempts,
  ]);
  return changed > 0;
}

/** Was any build of this module ever built twice, or is it to be? */
export async function hasBuildCheck(db: Queryable, mesh: Name, module: Name): Promise<boolean> {
  const row = await one(
    db,
    z.object({ found: z.boolean() }),
    `select exists (select from build_check where mesh = $1 and module = $2) as found`,
    [mesh, module],
  );
  return row.found;
}
