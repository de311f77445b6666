import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { nameSchema, type Name } from "../core/names.ts";
import { planRecovery, type HostFacts, type RecoveryFacts, type RecoveryPlan } from "../decide/plan-recovery.ts";
import { listClaims } from "./claims.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import { clearCondition } from "./conditions.ts";
import type { Database, Queryable, Transaction } from "./database.ts";
import { listSent } from "./declarations.ts";
import { gateLimits, lockGate } from "./gate.ts";
import { endGrants } from "./lease.ts";
import { listNodes } from "./nodes.ts";
import { listAccounts } from "./read-accounts.ts";
import { many, one, run } from "./rows.ts";
import { readStop, type Stop, unnoteStopped } from "./stop.ts";
import { storableJson, storableText } from "./storable.ts";
import { inTransaction } from "./transaction.ts";

/** What a recovery would do, as everything stands at one moment. */
export interface Recovery {
  readonly stop: Stop | null;
  readonly plan: RecoveryPlan;
}

export function foreseeRecovery(db: Database, mesh: Name, without: readonly Name[]): Promise<Recovery> {
  const options = { isolation: "repeatable read", access: "read only" } as const;
  return inTransaction(db, options, (tx) => readRecovery(tx, mesh, without));
}

export interface RecoveryRequest {
  readonly mesh: Name;
  readonly without: readonly Name[];
  readonly by: string;
  readonly why: string;
}

/**
 * Goes on above everything that was seen, as a person asked (R35): raises epoch and number, ends the present holder's
 * term as a take-over does, records who and why, and lifts the stop. Sends nothing. Where the plan is not ready, nothing
 * is changed. Waits for a composition in flight; words of hosts that come meanwhile wait for this. Where one of them was
 * half-way, and each waits for the other, it is done again.
 */
export function recoverMesh(db: Database, request: RecoveryRequest): Promise<Recovery> {
  return inTransaction(db, { ...gateLimits, isolation: "read committed", retryLimit: 5 }, async (tx) => {
    await lockGate(tx);
    const recovery = await readRecovery(tx, request.mesh, request.without);
    const { plan, stop } = recovery;
    if (plan.kind !== "ready" || stop === null) return recovery;
    await raise(tx, request, plan);
    await insertRecovery(tx, request, { ...plan, stop });
    await leaveOut(tx, request, plan);
    await unnoteStopped(tx, request.mesh);
    // Why the lease's records were set back is understood where they were restored, and by whom: a drill leaves nothing open.
    if (stop.reason === "restored")
      await clearCondition(tx, request.mesh, { code: "lease-records-lost", subject: `mesh/${request.mesh}` });
    return recovery;
  });
}

async function readRecovery(tx: Transaction, mesh: Name, without: readonly Name[]): Promise<Recovery> {
  const stop = await readStop(tx, mesh);
  const hosts = await readHosts(tx, mesh);
  const stranger = without.find((name) => !hosts.some((host) => host.node === name));
  if (stranger !== undefined)
    throw new InputError(`no host is enrolled as ${stranger}`, "mesh host list shows those there are");
  const facts: RecoveryFacts = { stoppedAt: stop?.since ?? null, known: await readHighest(tx, mesh), hosts };
  return { stop, plan: planRecovery(facts, new Set(without)) };
}

async function readHosts(tx: Transaction, mesh: Name): Promise<HostFacts[]> {
  // Whose account does not read is not heard: a person leaves it out by name, or its next report is kept.
  const { accounts: read } = await listAccounts(tx, mesh);
  const accounts = new Map(read.map((account) => [account.node, account]));
  const claims = new Map((await listClaims(tx, mesh)).map((claim) => [claim.node, claim]));
  const sent = new Map((await listSent(tx, mesh)).map((send) => [send.node, send]));
  return (await listNodes(tx, mesh)).flatMap(({ name, incarnation }): HostFacts[] => {
    if (incarnation === null) return [];
    const account = accounts.get(name);
    return [
      {
        node: name,
        account: account?.incarnation === incarnation ? account : null,
        claim: claims.get(name) ?? null,
        sent: sent.get(name)?.order ?? null,
      },
    ];
  });
}

/** The highest epoch and number that any of the records knows. */
function readHighest(tx: Transaction, mesh: Name): Promise<RecoveryFacts["known"]> {
  return one(
    tx,
    z.object({ epoch: bigintColumn, number: bigintColumn }),
    `select greatest(m.epoch, m.epoch_floor, (select epoch from lease where mesh = m.name),
                     (select max(epoch) from epoch_grant where mesh = m.name),
                     (select max(epoch) from declaration where mesh = m.name)) as epoch,
            greatest(m.number, (select max(number) from declaration where mesh = m.name)) as number
       from mesh m where m.name = $1`,
    [mesh],
  );
}

/** The lease is given back in the holder's stead: it ends at its next renewal, and who takes it gets the next epoch. */
async function raise(
  tx: Transaction,
  { mesh, by }: RecoveryRequest,
  { epoch, number }: { readonly epoch: number; readonly number: number },
): Promise<void> {
  await run(
    tx,
    `update mesh set epoch = $2::bigint, epoch_floor = greatest(epoch_floor, $2::bigint), number = $3,
       stopped_at = null, stopped_for = null where name = $1`,
    [mesh, epoch, number],
  );
  await endGrants(tx, mesh);
  await run(
    tx,
    `insert into epoch_grant (mesh, epoch, holder, role, ended, ended_at) values ($1, $2, $3, 'shell', 'given-back', now())`,
    [mesh, epoch, storableText(`recovery by ${by}`)],
  );
  await run(tx, `update lease set holder = null, epoch = $2, beat = beat + 1, renewed_at = now() where mesh = $1`, [
    mesh,
    epoch,
  ]);
}

function insertRecovery(
  tx: Transaction,
  { mesh, by, why, without }: RecoveryRequest,
  { epoch, number, hosts, stop }: Extract<RecoveryPlan, { kind: "ready" }> & { readonly stop: Stop },
): Promise<number> {
  return run(
    tx,
    `insert into recovery (mesh, epoch, number, recovered_by, why, stopped_at, stopped_for, found, gone_on_without)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      mesh,
      epoch,
      number,
      storableText(by),
      storableText(why),
      stop.since,
      stop.reason,
      storableJson(hosts),
      storableJson(without),
    ],
  );
}

/** Who was not heard has said nothing that could be left out: when it is ahead, that is news. */
function leaveOut(tx: Transaction, { mesh, by }: RecoveryRequest, { hosts }: RecoveryPlan): Promise<number> {
  const names = hosts.filter((host) => host.isLeftOut && host.standing !== "not-heard").map((host) => host.node);
  return run(
    tx,
    `update host_claim set left_out_at = now(), left_out_by = $3 where mesh = $1 and node = any($2::text[])`,
    [mesh, names, storableText(by)],
  );
}

const recoveryRecordSchema = z.object({
  epoch: bigintColumn,
  number: bigintColumn,
  recoveredAt: timeColumn,
  recoveredBy: z.string(),
  why: z.string(),
  without: z.array(nameSchema),
});
export type RecoveryRecord = z.output<typeof recoveryRecordSchema>;

/** Newest first. */
export function listRecoveries(db: Queryable, mesh: Name): Promise<RecoveryRecord[]> {
  return many(
    db,
    recoveryRecordSchema,
    `select epoch, number, recovered_at as "recoveredAt", recovered_by as "recoveredBy", why, gone_on_without as without
       from recovery where mesh = $1 order by epoch desc`,
    [mesh],
  );
}
