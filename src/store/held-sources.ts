import { z } from "zod";
import { nameSchema, objectIdSchema, type Name, type ObjectId } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

/** Since when each module that is behind has had no verdict; ISO. */
export async function listBehindSince(db: Queryable, mesh: Name): Promise<Map<Name, string>> {
  const rows = await many(
    db,
    z.object({ name: nameSchema, since: timeColumn }),
    `select name, behind_since as since from module where mesh = $1 and behind_since is not null`,
    [mesh],
  );
  return new Map(rows.map((row) => [row.name, row.since]));
}

/** Modules whose newer commit was seen and not taken, with that commit. */
export async function listHeldCommits(db: Queryable, mesh: Name): Promise<Map<Name, ObjectId>> {
  const rows = await many(
    db,
    z.object({ name: nameSchema, commit: objectIdSchema }),
    `select name, held_commit as commit from module where mesh = $1 and held_commit is not null`,
    [mesh],
  );
  return new Map(rows.map((row) => [row.name, row.commit]));
}

export interface HeldCommit {
  readonly name: Name;
  readonly commit: ObjectId;
  readonly waitsFor: Name;
}

/** The newer commits that are not taken now; of every other module none is held any more. */
export async function recordHeldCommits(db: Queryable, mesh: Name, held: readonly HeldCommit[]): Promise<void> {
  await run(
    db,
    `update module m set held_commit = h.commit, held_for = h."waitsFor"
       from module o left join jsonb_to_recordset($2::jsonb) as h(name text, commit text, "waitsFor" text) on h.name = o.name
      where o.mesh = $1 and m.mesh = $1 and m.name = o.name
        and (m.held_commit, m.held_for) is distinct from (h.commit, h."waitsFor")`,
    [mesh, storableJson(held)],
  );
}

/** A verdict of any kind: whoever is still behind counts from now on. */
export async function recordJudged(db: Queryable, mesh: Name, module: Name): Promise<void> {
  await run(db, `update module set behind_since = now() where mesh = $1 and name = $2 and behind_since is not null`, [
    mesh,
    module,
  ]);
}
