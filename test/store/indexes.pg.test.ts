import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listLastTold } from "../../src/store/last-told.ts";
import { listLostBuilds } from "../../src/store/builds.ts";
import type { Answer, Queryable } from "../../src/store/database.ts";
import { listOpenPushes, listPushes } from "../../src/store/pushes.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { readWaveProgress } from "../../src/store/wave-progress.ts";
import { listEndedInWave, listOpenWaves } from "../../src/store/waves.ts";
import { forgetDeliveries } from "../../src/store/webhooks.ts";
import { addModules, mesh, openRecords, type Records } from "./open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
  await addModules(records.db, "core");
  // Of few builds any way is as good as another.
  await records.db.query(
    `insert into build (mesh, module, inputs, closure, commit, state, claimant)
       select $1, 'core', 'inputs ' || n, '{}', 'c', 'fit', 'x' from generate_series(1, 2000) as n`,
    [mesh],
  );
  await records.db.query(`analyze build`);
});
afterAll(() => records.close());

/** How PostgreSQL answers where reading a whole table is what it does last of all. */
async function planOf(ask: (db: Queryable) => Promise<unknown>): Promise<string> {
  return inTransaction(records.db, { isolation: "read committed" }, async (tx) => {
    await tx.query(`set local enable_seqscan = off`);
    let plan = "";
    const explain = async (sql: string, values?: readonly unknown[]): Promise<Answer> => {
      const { rows } = await tx.query(`explain ${sql}`, values);
      plan = rows.map((row) => String(Object.values(row as object)[0])).join("\n");
      return { rows: [], count: 0 };
    };
    await ask({ query: explain });
    return plan;
  });
}

describe("what is asked again and again of a table that only grows", () => {
  it.each<[string, (db: Queryable) => Promise<unknown>]>([
    ["told_node", (db) => listLastTold(db, mesh)],
    ["push_open", (db) => listOpenPushes(db, mesh)],
    ["push_opened", (db) => listPushes(db, mesh, 20)],
    ["build_open", (db) => listLostBuilds(db, mesh, 1000)],
    ["build_pkey", (db) => listEndedInWave(db, mesh, "w")],
    ["wave_started", (db) => readWaveProgress(db, mesh)],
    ["wave_open", (db) => listOpenWaves(db, mesh)],
    ["webhook_delivery_received", (db) => forgetDeliveries(db, mesh, 1000)],
  ])("is found by %s", async (index, ask) => {
    expect(await planOf(ask)).toMatch(new RegExp(`(using|on) ${index}\\b`));
  });
});
