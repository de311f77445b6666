import { z } from "zod";
import { DeadEpochError, StoppedError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { sayStopped } from "../../decide/judge-claim.ts";
import { bigintColumn } from "../columns.ts";
import type { Database, Transaction } from "../database.ts";
import { maybeOne } from "../rows.ts";
import { readStop } from "../stop.ts";
import { inTransaction } from "../transaction.ts";

const limits = { lockTimeoutMs: 5_000, statementTimeoutMs: 20_000 } as const;

/**
 * `fn` in one transaction, while the mesh's row is shared: whatever passes the gate, grants an epoch or stops the mesh is
 * before it or after it, and waits for it. So `fn` must be short. Rejects with DeadEpochError where `epoch` is over, with
 * StoppedError where the mesh is stopped: records that are behind do not know what is needed.
 */
export function holdEpoch<T>(
  db: Database,
  { mesh, epoch }: { readonly mesh: Name; readonly epoch: number },
  fn: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return inTransaction(db, { isolation: "read committed", ...limits }, async (tx) => {
    const now = await maybeOne(
      tx,
      z.object({ epoch: bigintColumn, stopped: z.boolean() }),
      `select epoch, stopped_at is not null as stopped from mesh where name = $1 for share`,
      [mesh],
    );
    if (now?.epoch !== epoch || epoch < 1) throw new DeadEpochError(mesh, epoch);
    const stop = now.stopped ? await readStop(tx, mesh) : null;
    if (stop !== null) throw new StoppedError(sayStopped(mesh, stop.why));
    return fn(tx);
  });
}
