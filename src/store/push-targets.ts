import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { isDuplicateKey } from "./failure.ts";
import { many, one, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

const targetSchema = z.object({ node: nameSchema, why: z.string() });
/** A node whose turn it is in one round, and why. */
export type PushTarget = z.output<typeof targetSchema>;

/** The targets of a round, decided once: the same round again changes nothing, whatever it names. */
export async function recordTargets(
  db: Queryable,
  mesh: Name,
  round: { push: string; round: number },
  targets: readonly PushTarget[],
): Promise<void> {
  try {
    await run(
      db,
      `insert into push_target (mesh, push, round, position, node, why)
         select $1, $2, $3, t.position - 1, t.target ->> 'node', t.target ->> 'why'
           from jsonb_array_elements($4::jsonb) with ordinality as t(target, position)
          where not exists (select from push_target where mesh = $1 and push = $2 and round = $3)`,
      [mesh, round.push, round.round, storableJson(targets)],
    );
  } catch (error) {
    // Another attempt wrote its own at the same moment: those stand, and not one of ours is among them.
    if (!isDuplicateKey(error)) throw error;
  }
}

export function listTargets(
  db: Queryable,
  mesh: Name,
  slice: { push: string; round: number; from: number; count: number },
): Promise<PushTarget[]> {
  return many(
    db,
    targetSchema,
    `select node, why from push_target where mesh = $1 and push = $2 and round = $3 and position >= $4 and position < $4 + $5
      order by position`,
    [mesh, slice.push, slice.round, slice.from, slice.count],
  );
}

export async function countTargets(db: Queryable, mesh: Name, round: { push: string; round: number }): Promise<number> {
  const row = await one(
    db,
    z.object({ count: z.number().int() }),
    `select count(*)::int as count from push_target where mesh = $1 and push = $2 and round = $3`,
    [mesh, round.push, round.round],
  );
  return row.count;
}
