import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import { observeCondition } from "./conditions.ts";
import type { Database, Queryable, Transaction } from "./database.ts";
import { gateLimits, lockGate } from "./gate.ts";
import { many, maybeOne, one, run } from "./rows.ts";
import { inTransaction } from "./transaction.ts";

const leaseRecordSchema = z.object({
  mesh: nameSchema,
  /** Null: given back. */
  holder: z.string().nullable(),
  epoch: bigintColumn,
  /** The age in the record rules, not the reader's setting. */
  ageMs: z.number().int(),
  /** Rises with every change. A candidate watches it on its own clock and compares no times. */
  beat: bigintColumn,
  takenAt: timeColumn,
  renewedAt: timeColumn,
});
export type LeaseRecord = z.output<typeof leaseRecordSchema>;

const grantRecordSchema = z.object({ epoch: bigintColumn, holder: z.string(), grantedAt: timeColumn });
export type GrantRecord = z.output<typeof grantRecordSchema>;

/** What a candidate saw last; null: it saw that there was no record. */
export type SeenLease = Pick<LeaseRecord, "holder" | "epoch" | "beat"> | null;

export interface LeaseRequest {
  readonly mesh: Name;
  readonly holder: string;
  readonly ageMs: number;
  readonly seen: SeenLease;
  readonly lockTimeoutMs?: number;
}

export function readLease(db: Queryable, mesh: Name): Promise<LeaseRecord | null> {
  return maybeOne(
    db,
    leaseRecordSchema,
    `select mesh, holder, epoch, age_ms as "ageMs", beat, taken_at as "takenAt", renewed_at as "renewedAt"
       from lease where mesh = $1`,
    [mesh],
  );
}

/** Every epoch ever granted, newest first. */
export function listGrants(db: Queryable, mesh: Name): Promise<GrantRecord[]> {
  return many(
    db,
    grantRecordSchema,
    `select epoch, holder, granted_at as "grantedAt" from epoch_grant where mesh = $1 order by epoch desc`,
    [mesh],
  );
}

/**
 * Grants a new epoch, or answers null where the record is no longer what the candidate saw. Waits for the
 * compositions in flight; those that come after it under the old epoch get nothing. Whether a full age has
 * passed since `seen` is the caller's to know, on its own clock.
 */
export function takeLease(db: Database, request: LeaseRequest): Promise<{ epoch: number } | null> {
  const lockTimeoutMs = request.lockTimeoutMs ?? gateLimits.lockTimeoutMs;
  const options = { ...gateLimits, lockTimeoutMs, isolation: "read committed" } as const;
  return inTransaction(db, options, async (tx) => {
    await lockGate(tx);
    const now = await readLease(tx, request.mesh);
    if (!isSame(now, request.seen)) return null;
    const { epoch, lost } = await raiseEpoch(tx, request.mesh);
    await insertGrant(tx, request.mesh, epoch, request.holder);
    await writeLease(tx, request, epoch);
    if (lost !== null) await sayLost(tx, request.mesh, epoch, lost);
    return { epoch };
  });
}

/** False: lost for good, the process must end. Raises the beat where it is still ours. */
export async function renewLease(
  db: Queryable,
  lease: { mesh: Name; holder: string; epoch: number },
): Promise<boolean> {
  const changed = await run(
    db,
    `update lease set beat = beat + 1, renewed_at = now() where mesh = $1 and holder = $2 and epoch = $3`,
    [lease.mesh, lease.holder, lease.epoch],
  );
  return changed === 1;
}

/** Gives it back, after the guarded work has ended. False: it was no longer ours. */
export async function releaseLease(
  db: Queryable,
  lease: { mesh: Name; holder: string; epoch: number },
): Promise<boolean> {
  const changed = await run(
    db,
    `update lease set holder = null, beat = beat + 1, renewed_at = now() where mesh = $1 and holder = $2 and epoch = $3`,
    [lease.mesh, lease.holder, lease.epoch],
  );
  return changed === 1;
}

function isSame(now: LeaseRecord | null, seen: SeenLease): boolean {
  if (now === null || seen === null) return now === null && seen === null;
  return now.holder === seen.holder && now.epoch === seen.epoch && now.beat === seen.beat;
}

const raisedSchema = z.object({
  epoch: bigintColumn,
  leaseEpoch: bigintColumn.nullable(),
  grantEpoch: bigintColumn.nullable(),
  before: bigintColumn,
});

/** Above everything that was ever granted, whichever of the tables still knows it (R35). */
async function raiseEpoch(tx: Transaction, mesh: Name): Promise<{ epoch: number; lost: string | null }> {
  const raised = await one(
    tx,
    raisedSchema,
    `with known as (
       select m.name, greatest(m.epoch, m.epoch_floor) as before,
              (select epoch from lease where mesh = m.name) as lease_epoch,
              (select max(epoch) from epoch_grant where mesh = m.name) as grant_epoch
         from mesh m where m.name = $1)
     update mesh set epoch = greatest(before, lease_epoch, grant_epoch) + 1,
                     epoch_floor = greatest(before, lease_epoch, grant_epoch) + 1
       from known where mesh.name = known.name
     returning epoch, before, lease_epoch as "leaseEpoch", grant_epoch as "grantEpoch"`,
    [mesh],
  );
  const last = raised.epoch - 1;
  const lost = [
    ...(raised.before < last ? ["the mesh's own epoch"] : []),
    ...((raised.leaseEpoch ?? 0) < last ? ["the lease"] : []),
    ...((raised.grantEpoch ?? 0) < last ? ["the list of grants"] : []),
  ];
  return { epoch: raised.epoch, lost: lost.length === 0 ? null : lost.join(" and ") };
}

function insertGrant(tx: Transaction, mesh: Name, epoch: number, holder: string): Promise<number> {
  return run(tx, `insert into epoch_grant (mesh, epoch, holder) values ($1, $2, $3)`, [mesh, epoch, holder]);
}

function writeLease(tx: Transaction, request: LeaseRequest, epoch: number): Promise<number> {
  return run(
    tx,
    `insert into lease (mesh, holder, epoch, age_ms, beat, taken_at, renewed_at) values ($1, $2, $3, $4, 1, now(), now())
     on conflict (mesh) do update set holder = excluded.holder, epoch = excluded.epoch, age_ms = excluded.age_ms,
       beat = lease.beat + 1, taken_at = now(), renewed_at = now()`,
    [request.mesh, request.holder, epoch, request.ageMs],
  );
}

async function sayLost(tx: Transaction, mesh: Name, epoch: number, lost: string): Promise<void> {
  await observeCondition(tx, mesh, {
    code: "lease-records-lost",
    subject: `mesh/${mesh}`,
    message: `${lost} had been reset; epoch ${epoch} was granted above what the other records knew`,
    remedy: "find out who emptied the table or restored a backup; clear this condition when it is understood",
    urgent: true,
  });
}
