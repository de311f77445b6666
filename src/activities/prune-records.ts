import { setTimeout as wait } from "node:timers/promises";
import { DeadEpochError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { whyStays, type PruneBounds, type PrunedKind, prunedKinds } from "../decide/plan-prune.ts";
import type { Database } from "../store/database.ts";
import { holdEpoch } from "../store/prune/hold-epoch.ts";
import { pruneHistory } from "../store/prune/prune-history.ts";
import { pruneSends } from "../store/prune/prune-sends.ts";
import type { PruneBatch, PruneFrom, PruneKey } from "../store/prune/prune-table.ts";

/**
 * What is pruned, batch by batch. An interface, so that the same deciding runs over PostgreSQL and over the twin that the
 * simulator tries.
 */
export interface PruneRecords {
  readonly kinds: readonly PrunedKind[];
  /** Holds nobody up. */
  read(kind: PrunedKind, from: PruneFrom): Promise<PruneBatch>;
  /**
   * Reads the batch again and removes what `choose` takes of it, in one transaction under the epoch. Answers how many went.
   * Rejects with DeadEpochError or StoppedError, and then nothing went.
   */
  prune(kind: PrunedKind, request: PruneRequest): Promise<number>;
}

export interface PruneRequest {
  readonly epoch: number;
  readonly from: PruneFrom;
  readonly choose: (batch: PruneBatch) => readonly PruneKey[];
}

export function createPruneRecords(db: Database, mesh: Name): PruneRecords {
  const tables = new Map([...pruneSends, ...pruneHistory].map((table) => [table.kind, table]));
  const tableOf = (kind: PrunedKind) => {
    const table = tables.get(kind);
    if (table === undefined) throw new Error(`nothing says how ${kind} are pruned`);
    return table;
  };
  return {
    kinds: prunedKinds,
    read: (kind, from) => tableOf(kind).read(db, mesh, from),
    prune: (kind, { epoch, from, choose }) =>
      holdEpoch(db, { mesh, epoch }, async (tx) => {
        const keys = choose(await tableOf(kind).read(tx, mesh, from));
        return keys.length === 0 ? 0 : tableOf(kind).remove(tx, mesh, keys);
      }),
  };
}

export interface PrunePass {
  readonly records: PruneRecords;
  readonly mesh: Name;
  readonly epoch: number;
  readonly bounds: PruneBounds;
  /** False once this process may have lost the lease. Checked before each batch. */
  readonly mayAct: () => boolean;
  /** Between two batches that removed something: pushes go first. */
  readonly pause: () => Promise<void>;
}

export type PruneCounts = Readonly<Partial<Record<PrunedKind, number>>>;

/** How many of the oldest of one node go in one batch. */
const ofEach = 20;
const ofEachSeen = 10_000;

/** Removes everything that may go, in batches. Cut off in between, the next pass goes on. Answers what went. */
export async function pruneAll(pass: PrunePass): Promise<PruneCounts> {
  const counts: Partial<Record<PrunedKind, number>> = {};
  for (const kind of pass.records.kinds) {
    const gone = await pruneKind(pass, kind);
    if (gone > 0) counts[kind] = gone;
  }
  return counts;
}

async function pruneKind({ records, bounds, ...pass }: PrunePass, kind: PrunedKind): Promise<number> {
  const each = kind === "declarations" ? ofEach : 1_000;
  const choose = (batch: PruneBatch): PruneKey[] => listPrunable(batch, bounds);
  let total = 0;
  for (let after: PruneKey | null = null; ;) {
    const from: PruneFrom = { after, bounds, ofEach: each };
    const seen = await records.read(kind, from);
    // Only where something may go is anybody held up.
    if (choose(seen).length > 0) {
      if (!pass.mayAct()) throw new DeadEpochError(pass.mesh, pass.epoch);
      const gone = await records.prune(kind, { epoch: pass.epoch, from, choose });
      total += gone;
      await pass.pause();
      // The same part again: what was behind those that went.
      if (gone > 0) continue;
    }
    if (seen.next === null) return total;
    after = seen.next;
  }
}

/** Of what was read, what may go. */
export function listPrunable({ records }: PruneBatch, bounds: PruneBounds): PruneKey[] {
  return records.flatMap(({ key, record }) => (whyStays(record, bounds) === null ? [key] : []));
}

export interface PrunePlan {
  readonly kind: PrunedKind;
  readonly go: number;
  /** Old records that stay, by why. */
  readonly stay: readonly { readonly why: string; readonly count: number }[];
}

/** What would go now, and why the rest of what is old stays. Changes nothing, and holds nobody up. */
export async function planPruning({ records, bounds }: Pick<PrunePass, "records" | "bounds">): Promise<PrunePlan[]> {
  const plans: PrunePlan[] = [];
  for (const kind of records.kinds) {
    const stay = new Map<string, number>();
    let go = 0;
    for (let after: PruneKey | null = null; ;) {
      const seen: PruneBatch = await records.read(kind, { after, bounds, ofEach: ofEachSeen });
      for (const { record } of seen.records) {
        const why = whyStays(record, bounds);
        if (why === null) go += 1;
        else stay.set(why, (stay.get(why) ?? 0) + 1);
      }
      if (seen.next === null) break;
      after = seen.next;
    }
    plans.push({ kind, go, stay: [...stay].map(([why, count]) => ({ why, count })) });
  }
  return plans;
}

/** A pause that a stop ends. */
export function pauseFor(ms: number, signal: AbortSignal): () => Promise<void> {
  return async () => {
    await wait(ms, undefined, { signal });
  };
}
