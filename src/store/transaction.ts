import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { UnavailableError } from "../core/errors.ts";
import { answerGraceMs, ask, type Database, type Transaction } from "./database.ts";
import { isRefusedByServer, isSerializationFailure, readFailure } from "./failure.ts";

export interface TransactionOptions {
  readonly isolation: "read committed" | "repeatable read" | "serializable";
  readonly access?: "read write" | "read only";
  readonly lockTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  /** For what is read while something slow is done with it, and holds nothing that others wait for. */
  readonly idleTimeoutMs?: number;
  /**
   * How often `fn` may be run again after 40001 or 40P01. Only for an `fn` without effects outside the
   * transaction; the default is never.
   */
  readonly retryLimit?: number;
}

/**
 * Runs `fn` in one transaction: what it wrote is there whole when this resolves, and not at all when it rejects,
 * with one exception: where the answer to COMMIT was lost, UnavailableError says that the outcome is unknown.
 */
export async function inTransaction<T>(
  db: Database,
  options: TransactionOptions,
  fn: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(db, options, fn);
    } catch (error) {
      if (!isSerializationFailure(error) || attempt >= (options.retryLimit ?? 0)) throw error;
      await wait(Math.random() * 20 * 2 ** attempt);
    }
  }
}

async function attemptOnce<T>(
  db: Database,
  options: TransactionOptions,
  fn: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const client = await connect(db);
  let usable = false;
  try {
    await ask(client, beginStatement(options));
    const result = await runInside(client, options, fn);
    await commit(client);
    usable = true;
    return result;
  } catch (error) {
    usable = await rollBack(client);
    throw error;
  } finally {
    client.release(!usable);
  }
}

async function connect(db: Database): Promise<pg.PoolClient> {
  try {
    return await db.pool.connect();
  } catch (error) {
    throw readFailure(error, "waiting for a connection");
  }
}

/** BEGIN and the limits in one text: SET takes no snapshot, so a LOCK TABLE may still come first (R27). */
function beginStatement(options: TransactionOptions): string {
  const limits = [
    ["lock_timeout", options.lockTimeoutMs],
    ["statement_timeout", options.statementTimeoutMs],
    ["idle_in_transaction_session_timeout", options.idleTimeoutMs],
  ].flatMap(([name, ms]) => (typeof ms === "number" ? [`set local ${name} = ${wholeMs(ms)}`] : []));
  return [`begin isolation level ${options.isolation} ${options.access ?? "read write"}`, ...limits].join("; ");
}

/** SET has no parameters; a number that is whole and small is the only thing that gets in. */
function wholeMs(ms: number): number {
  if (!Number.isInteger(ms) || ms < 0 || ms > 86_400_000)
    throw new RangeError(`a time-out is 0 to 86400000 whole ms, not ${ms}`);
  return ms;
}

async function runInside<T>(
  client: pg.PoolClient,
  options: TransactionOptions,
  fn: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let open = true;
  const { statementTimeoutMs } = options;
  const answerMs = statementTimeoutMs === undefined ? undefined : statementTimeoutMs + answerGraceMs;
  const tx: Transaction = {
    transaction: true,
    query: async (sql, values) => {
      // A statement that comes late would run outside, on a connection somebody else has by then.
      if (!open) throw new Error("this transaction has ended: a statement was not awaited inside it");
      return ask(client, sql, values, answerMs);
    },
  };
  try {
    return await fn(tx);
  } finally {
    open = false;
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  let command: string;
  try {
    command = (await client.query("commit")).command;
  } catch (error) {
    if (isRefusedByServer(error)) throw readFailure(error, "committing");
    throw new UnavailableError(
      "the answer to COMMIT was lost: the outcome is unknown",
      "read whether it happened before doing it again",
      { cause: error },
    );
  }
  // A transaction that failed inside answers COMMIT with ROLLBACK and no error.
  if (command !== "COMMIT")
    throw new Error(
      `the transaction was rolled back: a statement in it failed and the error was swallowed (${command})`,
    );
}

/** Rolls back what is left open. A connection that cannot even do that is thrown away. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    // absence is the answer: the question is whether it still works, and the failure before is the one that is thrown.
    return false;
  }
}
