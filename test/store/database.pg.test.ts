import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { RecordsRefusedError, UnavailableError } from "../../src/core/errors.ts";
import { openDatabase } from "../../src/store/database.ts";
import { newestDeclaration } from "../../src/store/declarations.ts";
import { withGate } from "../../src/store/gate.ts";
import { many, maybeOne, one } from "../../src/store/rows.ts";
import { bigintColumn } from "../../src/store/columns.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { openCuttingProxy } from "./cutting-proxy.ts";
import { addNodes, declarationOf, grant, latch, mesh, openRecords, send, until, type Records } from "./open-records.ts";

let records: Records;
let epoch: number;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a");
  epoch = await grant(records.db);
  await records.db.query(`create table counter (value integer not null)`);
  await records.db.query(`insert into counter values (0)`);
});
afterAll(() => records.close());
afterEach(() => records.watcher.query(`update counter set value = 0`));

const failureOf = (promise: Promise<unknown>) => promise.then(() => null).catch((error: unknown) => error);

describe("an answer that does not come", () => {
  it("is an UnavailableError with its cause when nobody listens", async () => {
    const db = openDatabase({
      url: "postgresql://mesh@127.0.0.1:1/mesh",
      maxConnections: 1,
      applicationName: "t",
      statementTimeoutMs: 1000,
    });
    for (const failure of [
      await failureOf(db.query(`select 1`)),
      await failureOf(inTransaction(db, { isolation: "read committed" }, async () => 1)),
    ]) {
      expect(failure).toBeInstanceOf(UnavailableError);
      expect((failure as UnavailableError).cause).toMatchObject({ code: "ECONNREFUSED" });
    }
    await db.end();
  });

  it("is a refusal of the records when the database is not there, and the password is in no message", async () => {
    const url = new URL(records.url);
    url.pathname = "/not-there";
    url.password = "s3cret-canary";
    const db = openDatabase({ url: url.href, maxConnections: 1, applicationName: "t", statementTimeoutMs: 1000 });
    const failure = await failureOf(db.query(`select 1`));
    expect(failure).toBeInstanceOf(RecordsRefusedError);
    expect(`${String(failure)} ${(failure as RecordsRefusedError).next}`).not.toContain("s3cret-canary");
    await db.end();
  });

  it("is an UnavailableError when the pool is exhausted, and the pool goes on afterwards", async () => {
    // Also for the one connection that there is, on a machine that has other things to do.
    const db = records.open({ maxConnections: 1, connectTimeoutMs: 2_000 });
    const go = latch();
    const holding = inTransaction(db, { isolation: "read committed" }, () => go.opened);
    expect(await failureOf(db.query(`select 1`))).toBeInstanceOf(UnavailableError);
    go.open();
    await holding;
    expect((await db.query(`select 1 as it`)).rows).toEqual([{ it: 1 }]);
  });

  it("is an UnavailableError past the statement's and the lock's time", async () => {
    const limits = { isolation: "read committed", statementTimeoutMs: 50 } as const;
    expect(await failureOf(inTransaction(records.db, limits, (tx) => tx.query(`select pg_sleep(10)`)))).toBeInstanceOf(
      UnavailableError,
    );
    const locked = inTransaction(records.db, { isolation: "read committed" }, async (tx) => {
      await tx.query(`lock table counter`);
      const waiting = inTransaction(records.db, { isolation: "read committed", lockTimeoutMs: 50 }, (other) =>
        other.query(`select from counter`),
      );
      expect(await failureOf(waiting)).toBeInstanceOf(UnavailableError);
    });
    await locked;
  });

  it("says that the outcome is unknown when the answer to COMMIT was lost; it had happened", async () => {
    const proxy = await openCuttingProxy(records.url);
    const db = records.open({ url: proxy.url, maxConnections: 2 });
    const failure = await failureOf(
      withGate(db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
        await send(tx, declarationOf("node-a", { epoch, number }));
        proxy.cutAfter("commit");
      }),
    );
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(String(failure)).toContain("outcome is unknown");
    expect(await newestDeclaration(records.db, mesh, "node-a")).not.toBeNull();
    // And the pool behind the broken road is well again.
    expect((await db.query(`select 1 as it`)).rows).toEqual([{ it: 1 }]);
    await proxy.close();
  });
});

describe("a transaction", () => {
  const raise = async (options: { retryLimit?: number }, meetings: number): Promise<number> => {
    let runs = 0;
    await inTransaction(records.db, { isolation: "repeatable read", ...options }, async (tx) => {
      runs += 1;
      const { rows } = await tx.query(`select value from counter`);
      if (runs <= meetings) await records.db.query(`update counter set value = value + 10`);
      await tx.query(`update counter set value = $1`, [(rows[0] as { value: number }).value + 1]);
    });
    return runs;
  };

  it("is run again after 40001 where it says that it may be, within its bound", async () => {
    expect(await raise({ retryLimit: 3 }, 2)).toBe(3);
    expect((await records.db.query(`select value from counter`)).rows).toEqual([{ value: 21 }]);
    expect(await failureOf(raise({ retryLimit: 1 }, 5))).toBeInstanceOf(UnavailableError);
  });

  it("is never run again where it does not say so", async () => {
    const failure = await failureOf(raise({}, 1));
    expect(String(failure)).toContain("40001");
  });

  it("refuses a statement that comes after its end", async () => {
    const { late } = await inTransaction(records.db, { isolation: "read committed" }, async (tx) => ({
      late: () => tx.query(`update counter set value = 99`),
    }));
    await expect(late()).rejects.toThrow("has ended");
    expect((await records.db.query(`select value from counter`)).rows).toEqual([{ value: 0 }]);
  });

  it("gives its connection back whatever happens", async () => {
    const db = records.open({ maxConnections: 1, connectTimeoutMs: 500 });
    for (const statement of [`select 1 / 0`, `select pg_terminate_backend(pg_backend_pid())`, `select 1`]) {
      await failureOf(inTransaction(db, { isolation: "read committed" }, (tx) => tx.query(statement)));
    }
    expect((await db.query(`select 1 as it`)).rows).toEqual([{ it: 1 }]);
  });
});

describe("a server that restarts (case 42, R50)", () => {
  it("is found again by a pool in use; nothing that was answered is lost, no number is used twice", async () => {
    const lost: Error[] = [];
    const db = records.open({ maxConnections: 6, onConnectionLost: (error) => lost.push(error) });
    const stop = new AbortController();
    const answered: number[] = [];
    const failures: unknown[] = [];
    const workers = Array.from({ length: 6 }, async () => {
      while (!stop.signal.aborted) {
        try {
          answered.push(
            await withGate(db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
              await send(tx, declarationOf("node-a", { epoch, number }));
              return number;
            }),
          );
        } catch (error) {
          failures.push(error);
        }
      }
    });
    for (let restart = 0; restart < 20; restart++) {
      const before = answered.length;
      await until(async () => answered.length > before + 3);
      await records.cutAll();
    }
    const before = answered.length;
    await until(async () => answered.length > before);
    stop.abort();
    await Promise.all(workers);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.filter((failure) => !(failure instanceof UnavailableError))).toEqual([]);
    const { rows } = await records.watcher.query(`select number::integer from declaration where epoch = $1`, [epoch]);
    const kept = new Set(rows.map((row) => (row as { number: number }).number));
    expect(new Set(answered).size).toBe(answered.length);
    expect(answered.filter((number) => !kept.has(number))).toEqual([]);
  });

  it("does not end the process when idle connections die", async () => {
    const lost: Error[] = [];
    const db = records.open({ onConnectionLost: (error) => lost.push(error) });
    await Promise.all([db.query(`select 1`), db.query(`select 1`)]);
    await records.cutAll();
    await until(async () => lost.length === 2);
    expect((await db.query(`select 1 as it`)).rows).toEqual([{ it: 1 }]);
  });
});

describe("rows", () => {
  const row = z.object({ it: bigintColumn });

  it("are as many as the verb says, or it is an error", async () => {
    expect(await one(records.watcher, row, `select 1::bigint as it`)).toEqual({ it: 1 });
    await expect(one(records.watcher, row, `select 1::bigint as it where false`)).rejects.toThrow(
      "expected one row, got 0",
    );
    expect(await maybeOne(records.watcher, row, `select 1::bigint as it where false`)).toBeNull();
    await expect(maybeOne(records.watcher, row, `select 1::bigint as it from generate_series(1, 2)`)).rejects.toThrow(
      "got 2",
    );
  });

  it("are never left out or rounded when they do not parse (R26)", async () => {
    await expect(many(records.watcher, row, `select 1::bigint as it union all select null`)).rejects.toThrow(
      "does not read as it should (it:",
    );
    await expect(one(records.watcher, row, `select 9007199254740993::bigint as it`)).rejects.toThrow(
      "not a safe integer",
    );
  });
});
