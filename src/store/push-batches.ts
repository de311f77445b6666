import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import { pushKindSchema } from "../core/push.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, one } from "./rows.ts";

/**
 * What telling one batch of a push asks about it. A push of a whole mesh names ten thousand nodes and tells a hundred at a
 * time: nothing here reads all of them, or all that was told.
 */
const pushForSchema = z.object({
  id: z.string(),
  kind: z.enum([...pushKindSchema.options, "declare"]),
  named: z.array(nameSchema),
});
export type PushForNodes = z.output<typeof pushForSchema>;

/** Nodes of one round. */
export interface RoundNodes {
  readonly push: string;
  readonly round: number;
  readonly nodes: readonly Name[];
}

/** `named`: those of these nodes that it named. Null: there is no such push. */
export function getPushFor(
  db: Queryable,
  mesh: Name,
  { push, nodes }: { readonly push: string; readonly nodes: readonly Name[] },
): Promise<PushForNodes | null> {
  return maybeOne(
    db,
    pushForSchema,
    `select id, kind,
            array(select n.name from jsonb_array_elements_text(named) as n(name) where n.name = any($3::text[])) as named
       from push where mesh = $1 and id = $2`,
    [mesh, push, nodes],
  );
}

const pushEndSchema = z.object({ endedAt: timeColumn.nullable(), message: z.string().nullable() });
/** When it ended, and with which words. Both null: it goes on. */
export type PushEnd = z.output<typeof pushEndSchema>;

/** Null: there is no such push (any more). */
export function getPushEnd(db: Queryable, mesh: Name, push: string): Promise<PushEnd | null> {
  return maybeOne(
    db,
    pushEndSchema,
    `select ended_at as "endedAt", result ->> 'message' as message from push where mesh = $1 and id = $2`,
    [mesh, push],
  );
}

/** Those of these that were told in that round, whatever became of it, by name. */
export async function listToldAmong(db: Queryable, mesh: Name, { push, round, nodes }: RoundNodes): Promise<Name[]> {
  const rows = await many(
    db,
    z.object({ node: nameSchema }),
    `select node from told where mesh = $1 and push = $2 and round = $3 and node = any($4::text[]) order by node`,
    [mesh, push, round, nodes],
  );
  return rows.map(({ node }) => node);
}

/** How many of these were sent something in that round. */
export async function countSentAmong(db: Queryable, mesh: Name, { push, round, nodes }: RoundNodes): Promise<number> {
  const row = await one(
    db,
    z.object({ count: z.number().int() }),
    `select count(*)::int as count from told
      where mesh = $1 and push = $2 and round = $3 and node = any($4::text[]) and outcome = 'sent'`,
    [mesh, push, round, nodes],
  );
  return row.count;
}
