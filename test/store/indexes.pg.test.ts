import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listLastTold } from "../../src/store/last-told.ts";
import { listLostBuilds } from "../../src/store/builds.ts";
import type { Answer, Queryable } from "../../src/store/database.ts";
import { listProviderNodes } from "../../src/store/part-of-world.ts";
import { listProvisionsOf, readHighestVersionsTo } from "../../src/store/provisions.ts";
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
  // Of few rows any way is as good as another.
  await records.db.query(
    `insert into build (mesh, module, inputs, closure, commit, state, claimant)
       select $1, 'core', 'inputs ' || n, '{}', 'c', 'fit', 'x' from generate_series(1, 2000) as n`,
    [mesh],
  );
  await records.db.query(
    `insert into provision (mesh, id, version, kind, consumer_node, consumer_module, requirement, provider_node,
                            provider_module, provider_incarnation, name, state, minted_by)
       select $1, 'id ' || n, 1, 'postgresql', 'c-' || n, 'm', 'r', 'p-' || n, 'm', 'i', 'n', 'issued', 'p'
         from generate_series(1, 2000) as n`,
    [mesh],
  );
  await records.db.query(`analyze build, provision`);
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
    ["provision_consumer", (db) => listProvisionsOf(db, mesh, ["node-a"])],
    ["provision_provider", (db) => listProvisionsOf(db, mesh, ["node-a"])],
    ["provision_consumer", (db) => readHighestVersionsTo(db, mesh, ["node-a"])],
    ["declaration_offering", (db) => listProviderNodes(db, mesh, ["postgresql"])],
    ["artifact_providing", (db) => listProviderNodes(db, mesh, ["postgresql"])],
    ["assignment_module", (db) => listProviderNodes(db, mesh, ["postgresql"])],
    ["webhook_delivery_received", (db) => forgetDeliveries(db, mesh, 1000)],
  ])("is found by %s", async (index, ask) => {
    expect(await planOf(ask)).toMatch(new RegExp(`(using|on) ${index}\\b`));
  });
});
