import { z } from "zod";
import type { Order } from "../../core/declaration.ts";
import type { Name } from "../../core/names.ts";
import { bigintColumn } from "../columns.ts";
import type { Queryable } from "../database.ts";
import { maybeOne } from "../rows.ts";

/** Up to where declarations of this node were pruned; null: none were. */
export function readPruned(db: Queryable, mesh: Name, node: Name): Promise<Order | null> {
  return maybeOne(
    db,
    z.object({ epoch: bigintColumn, number: bigintColumn }),
    `select epoch, number from pruned_declaration where mesh = $1 and node = $2`,
    [mesh, node],
  );
}
