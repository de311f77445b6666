import { DeadEpochError, StoppedError } from "../core/errors.ts";
import { atStep } from "../core/failpoints.ts";
import type { Name } from "../core/names.ts";
import { sayStopped } from "../decide/judge-claim.ts";
import { bigintColumn } from "./columns.ts";
import { z } from "zod";
import type { Database, Transaction } from "./database.ts";
import { maybeOne, run } from "./rows.ts";
import { readStop } from "./stop.ts";
import { inTransaction } from "./transaction.ts";

export interface GateRequest {
  readonly mesh: Name;
  /** The caller's own epoch. */
  readonly epoch: number;
  /** How many declarations may be numbered. Numbers that are not used are gaps, and gaps mean nothing. */
  readonly count: number;
}

export interface GateOptions extends GateRequest {
  readonly lockTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
}

/** Longer than a composition may take, shorter than a person's patience. Statements get at least as long. */
export const gateLimits = { lockTimeoutMs: 30_000, statementTimeoutMs: 60_000 } as const;

/**
 * The one transaction (R27, R28, R36): takes the numbers first, then `fn` reads, composes and writes, all at
 * one moment. Rejects with DeadEpochError where `epoch` is over, with StoppedError where the mesh is stopped (R35).
 * `fn` runs once; nothing in it is kept unless this resolves.
 */
export function withGate<T>(
  db: Database,
  options: GateOptions,
  fn: (tx: Transaction, numbers: readonly number[]) => Promise<T>,
): Promise<T> {
  const limits = {
    lockTimeoutMs: options.lockTimeoutMs ?? gateLimits.lockTimeoutMs,
    statementTimeoutMs: options.statementTimeoutMs ?? gateLimits.statementTimeoutMs,
  };
  const inside = async (tx: Transaction): Promise<T> => {
    const { firstNumber } = await passGate(tx, options);
    const numbers = Array.from({ length: options.count }, (_, index) => firstNumber + index);
    return atStep("gate.composition", () => fn(tx, numbers));
  };
  return atStep("gate", () => inTransaction(db, { isolation: "repeatable read", ...limits }, inside));
}

/** Must be the first thing its transaction does: a statement before it would fix the snapshot too early. */
export async function passGate(tx: Transaction, request: GateRequest): Promise<{ firstNumber: number }> {
  if (!Number.isInteger(request.count) || request.count < 1)
    throw new RangeError(`a gate is passed for 1 or more declarations, not ${request.count}`);
  await lockGate(tx);
  const taken = await maybeOne(
    tx,
    z.object({ number: bigintColumn }),
    `update mesh set number = number + $3::bigint
      where name = $1 and epoch = $2 and epoch > 0 and stopped_at is null returning number`,
    [request.mesh, request.epoch, request.count],
  );
  if (taken === null) throw await explainRefusal(tx, request);
  return { firstNumber: taken.number - request.count + 1 };
}

/** A dead epoch comes first: another controller's stop is not this one's business. */
async function explainRefusal(tx: Transaction, { mesh, epoch }: GateRequest): Promise<Error> {
  const now = await maybeOne(tx, z.object({ epoch: bigintColumn }), `select epoch from mesh where name = $1`, [mesh]);
  const stop = now?.epoch === epoch ? await readStop(tx, mesh) : null;
  return stop === null ? new DeadEpochError(mesh, epoch) : new StoppedError(sayStopped(mesh, stop.why));
}

/**
 * Waits for every composition and grant in flight, before any snapshot is taken. Not EXCLUSIVE: that would
 * also hold up every insert whose foreign key is the mesh (README.md has what was measured).
 */
export async function lockGate(tx: Transaction): Promise<void> {
  await run(tx, `lock table mesh in share row exclusive mode`);
}
