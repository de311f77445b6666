import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import {
  type ExpectedBeats,
  isSameLease,
  nextEpoch,
  type KnownEpochs,
  type Renewal,
  type SeenLease,
} from "../decide/lease.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import { observeCondition } from "./conditions.ts";
import type { Database, Queryable, Transaction } from "./database.ts";
import { gateLimits, lockGate } from "./gate.ts";
import type { LeaseRole } from "./lease-history.ts";
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

export interface LeaseRequest {
  readonly mesh: Name;
  readonly holder: string;
  readonly ageMs: number;
  readonly seen: SeenLease;
  /** `controller` where it is left out. */
  readonly role?: LeaseRole;
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
export function takeLease(db: Database, request: LeaseRequest): Promise<{ epoch: number; beat: number } | null> {
  const lockTimeoutMs = request.lockTimeoutMs ?? gateLimits.lockTimeoutMs;
  const options = { ...gateLimits, lockTimeoutMs, isolation: "read committed" } as const;
  return inTransaction(db, options, async (tx) => {
    await lockGate(tx);
    const now = await readLease(tx, request.mesh);
    if (!isSameLease(now, request.seen)) return null;
    const { epoch, lost } = nextEpoch(await readEpochs(tx, request.mesh));
    await raiseEpoch(tx, request.mesh, epoch);
    await endGrants(tx, request.mesh);
    await insertGrant(tx, request, epoch);
    const { beat } = await writeLease(tx, request, epoch);
    if (lost !== null) await sayLost(tx, request.mesh, epoch, lost);
    return { epoch, beat };
  });
}

/**
 * Raises the beat where it is still ours, and nobody but us has raised it since. Anything but `renewed` is final: the process
 * must end. A renewal that comes late finds another beat, and does nothing.
 */
export async function renewLease(
  db: Queryable,
  lease: { mesh: Name; holder: string; epoch: number; beats: ExpectedBeats },
): Promise<Renewal> {
  const { mesh, holder, epoch, beats } = lease;
  const renewed = await maybeOne(
    db,
    z.object({ beat: bigintColumn }),
    `update lease set beat = beat + 1, renewed_at = now()
      where mesh = $1 and holder = $2 and epoch = $3 and beat between $4 and $5 returning beat`,
    [mesh, holder, epoch, beats.least, beats.most],
  );
  if (renewed !== null) return { kind: "renewed", beat: renewed.beat };
  const now = await readLease(db, mesh);
  return { kind: now?.holder === holder && now.epoch === epoch ? "copied" : "lost" };
}

/** Gives it back, after the guarded work has ended. False: it was no longer ours. */
export async function releaseLease(
  db: Queryable,
  lease: { mesh: Name; holder: string; epoch: number },
): Promise<boolean> {
  const { released } = await one(
    db,
    z.object({ released: z.boolean() }),
    `with released as (
       update lease set holder = null, beat = beat + 1, renewed_at = now()
        where mesh = $1 and holder = $2 and epoch = $3 returning mesh, epoch
     ), ended as (
       update epoch_grant g set ended = 'given-back', ended_at = now() from released r
        where g.mesh = r.mesh and g.epoch = r.epoch
     )
     select exists (select from released) as released`,
    [lease.mesh, lease.holder, lease.epoch],
  );
  return released;
}

const knownEpochsSchema = z.object({
  mesh: bigintColumn,
  floor: bigintColumn,
  lease: bigintColumn.nullable(),
  grants: bigintColumn.nullable(),
});

/** What the tables still know; the gate is held, so nobody grants meanwhile. */
function readEpochs(tx: Transaction, mesh: Name): Promise<KnownEpochs> {
  return one(
    tx,
    knownEpochsSchema,
    `select m.epoch as mesh, m.epoch_floor as floor, (select epoch from lease where mesh = m.name) as lease,
            (select max(epoch) from epoch_grant where mesh = m.name) as grants
       from mesh m where m.name = $1`,
    [mesh],
  );
}

function raiseEpoch(tx: Transaction, mesh: Name, epoch: number): Promise<number> {
  return run(tx, `update mesh set epoch = $2, epoch_floor = $2 where name = $1`, [mesh, epoch]);
}

/** Those before that were not given back: their holder stopped renewing, and a successor is granted now. */
export function endGrants(tx: Transaction, mesh: Name): Promise<number> {
  return run(
    tx,
    `update epoch_grant g set ended = 'taken-over', ended_at = now(),
            last_renewed_at = (select renewed_at from lease l where l.mesh = g.mesh and l.epoch = g.epoch)
      where g.mesh = $1 and g.ended is null
        and g.epoch = (select max(epoch) from epoch_grant where mesh = $1)`,
    [mesh],
  );
}

function insertGrant(tx: Transaction, { mesh, holder, role }: LeaseRequest, epoch: number): Promise<number> {
  return run(tx, `insert into epoch_grant (mesh, epoch, holder, role) values ($1, $2, $3, $4)`, [
    mesh,
    epoch,
    holder,
    role ?? "controller",
  ]);
}

function writeLease(tx: Transaction, request: LeaseRequest, epoch: number): Promise<{ beat: number }> {
  return one(
    tx,
    z.object({ beat: bigintColumn }),
    `insert into lease (mesh, holder, epoch, age_ms, beat, taken_at, renewed_at) values ($1, $2, $3, $4, 1, now(), now())
     on conflict (mesh) do update set holder = excluded.holder, epoch = excluded.epoch, age_ms = excluded.age_ms,
       beat = lease.beat + 1, taken_at = now(), renewed_at = now()
     returning beat`,
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
