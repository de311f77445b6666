import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import type { Transaction } from "../../src/store/database.ts";
import { passGate, withGate } from "../../src/store/gate.ts";
import { inTransaction, type TransactionOptions } from "../../src/store/transaction.ts";
import { addNodes, digestOf, grant, latch, mesh, openRecords, untilWaiting, type Records } from "./open-records.ts";

let records: Records;
let epoch: number;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
  await records.db.query(`create table wish (content integer not null)`);
});
afterAll(() => records.close());
beforeEach(async () => {
  epoch = await grant(records.db);
  await records.db.query(`truncate declaration, wish`);
  await records.db.query(`insert into wish values (0)`);
});

async function readWish(tx: Transaction): Promise<number> {
  const { rows } = await tx.query(`select content from wish`);
  return (rows[0] as { content: number }).content;
}

async function readContents(): Promise<number[]> {
  const { rows } = await records.db.query(
    `select round as content from declaration where node = 'node-a' order by epoch, number`,
  );
  return rows.map((row) => (row as { content: number }).content);
}

/** Number, read, send: `round` carries the content that was read. */
async function composeWish(tx: Transaction, number: number, beforeReading: Promise<void>): Promise<void> {
  await beforeReading;
  const content = await readWish(tx);
  await tx.query(
    `insert into declaration (mesh, node, epoch, number, digest, incarnation, envelope, push, round, why, issued_at, stale_after)
     values ($1, 'node-a', $2, $3, $4, 'aaaa', '', 'p1', $5, '', now(), now())`,
    [mesh, epoch, number, digestOf(String(content)), content],
  );
}

describe("what PostgreSQL does at the gate (R27)", () => {
  /** One composition holds the gate; another comes by `road` meanwhile; then the first commits. */
  async function meet(
    options: TransactionOptions,
    road: (tx: Transaction) => Promise<unknown>,
  ): Promise<{ error: unknown; wish: number | null }> {
    const go = latch();
    const inside = latch();
    const first = withGate(records.db, { mesh, epoch, count: 1 }, async (tx) => {
      await tx.query(`update wish set content = 1`);
      inside.open();
      await go.opened;
    });
    await inside.opened;
    let wish: number | null = null;
    const second = inTransaction(records.db, options, async (tx) => {
      await road(tx);
      wish = await readWish(tx);
    }).then(
      () => null,
      (error: unknown) => error,
    );
    await untilWaiting(records.db);
    go.open();
    await first;
    return { error: await second, wish };
  }
  const takeNumber = (tx: Transaction) =>
    tx.query(`update mesh set number = number + 1 where name = $1 and epoch = $2`, [mesh, epoch]);

  it("READ COMMITTED without the table's lock: waits, then reads the newer world, each SELECT at its own moment", async () => {
    expect(await meet({ isolation: "read committed" }, takeNumber)).toEqual({ error: null, wish: 1 });
  });

  it("REPEATABLE READ without the table's lock: who waited gets 40001", async () => {
    const met = await meet({ isolation: "repeatable read" }, takeNumber);
    expect(met.error).toBeInstanceOf(UnavailableError);
    expect(String(met.error)).toContain("40001");
  });

  it("REPEATABLE READ with a SELECT before the lock: the snapshot is too old, 40001", async () => {
    const met = await meet({ isolation: "repeatable read" }, async (tx) => {
      await readWish(tx);
      await passGate(tx, { mesh, epoch, count: 1 });
    });
    expect(String(met.error)).toContain("40001");
  });

  it("REPEATABLE READ with the lock first, as passGate does it: waits, then reads the newer world, no 40001", async () => {
    expect(await meet({ isolation: "repeatable read" }, (tx) => passGate(tx, { mesh, epoch, count: 1 }))).toEqual({
      error: null,
      wish: 1,
    });
  });

  it("lets other records be written while it is held: their foreign keys do not wait", async () => {
    const observe = `insert into condition (mesh, code, subject, message, remedy, since, last_seen) values ($1, 'a-code', $2, '', '', now(), now())`;
    await withGate(records.db, { mesh, epoch, count: 1 }, async () => {
      await inTransaction(records.db, { isolation: "read committed", lockTimeoutMs: 500 }, (other) =>
        other.query(observe, [mesh, "under the gate"]),
      );
    });
    // The mode it does not use, EXCLUSIVE, would have made it wait.
    await inTransaction(records.db, { isolation: "read committed" }, async (tx) => {
      await tx.query(`lock table mesh in exclusive mode`);
      const other = inTransaction(records.db, { isolation: "read committed", lockTimeoutMs: 100 }, (one) =>
        one.query(observe, [mesh, "under exclusive"]),
      );
      await expect(other).rejects.toThrow("lock timeout");
    });
  });
});

describe("overlapping compositions (R27, case 41)", () => {
  it("number taken first, reads outside the transaction: older content ends up under the higher number", async () => {
    // c0 read by nobody yet · A takes 1 · B takes 2 and reads c0 · c1 · A reads c1: the host applies c1, then c0.
    const number = async () =>
      await withGate<number>(records.db, { mesh, epoch, count: 1 }, async (_tx, [taken = 0]) => taken);
    const [a, b] = [await number(), await number()];
    const compose = (taken: number) =>
      inTransaction(records.db, { isolation: "repeatable read" }, (tx) => composeWish(tx, taken, Promise.resolve()));
    await compose(b);
    await records.db.query(`update wish set content = 1`);
    await compose(a);
    expect(await readContents()).toEqual([1, 0]);
  });

  it("through the gate the second waits for the first, and content never goes back", async () => {
    const go = latch();
    const inside = latch();
    const a = withGate(records.db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
      inside.open();
      await composeWish(tx, number, go.opened);
    });
    await inside.opened;
    const b = withGate(records.db, { mesh, epoch, count: 1 }, (tx, [number = 0]) =>
      composeWish(tx, number, Promise.resolve()),
    );
    await untilWaiting(records.db);
    await records.db.query(`update wish set content = 1`);
    go.open();
    await Promise.all([a, b]);
    // A's snapshot is from when it passed the gate, B's from after A's commit.
    expect(await readContents()).toEqual([0, 1]);
  });

  it("holds for many at once while the world moves", async () => {
    const stop = new AbortController();
    const mover = (async () => {
      while (!stop.signal.aborted) await records.db.query(`update wish set content = content + 1`);
    })();
    const composers = Array.from({ length: 6 }, async () => {
      for (let turn = 0; turn < 8; turn++) {
        await withGate(records.db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
          const before = await readWish(tx);
          await composeWish(tx, number, Promise.resolve());
          expect(await readWish(tx)).toBe(before);
        });
      }
    });
    await Promise.all(composers);
    stop.abort();
    await mover;
    const contents = await readContents();
    expect(contents).toHaveLength(48);
    expect(contents).toEqual(contents.toSorted((x, y) => x - y));
  });
});
