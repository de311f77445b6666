import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listNeeded } from "../../src/store/artifact-doubts.ts";
import { listAutoDue } from "../../src/store/auto-due.ts";
import { loadCollectionFacts } from "../../src/store/collection.ts";
import { listKeptLogs } from "../../src/store/kept-logs.ts";
import { findStillWave } from "../../src/store/waits.ts";
import { listLastTold } from "../../src/store/last-told.ts";
import { listLostBuilds } from "../../src/store/builds.ts";
import { listBuildsUnderWay } from "../../src/store/builds-under-way.ts";
import type { Answer, Queryable } from "../../src/store/database.ts";
import { listProviderNodes } from "../../src/store/part-of-world.ts";
import { listProvisionsOf, readHighestVersionsTo } from "../../src/store/provisions.ts";
import { listOpenPushes, listPushes } from "../../src/store/pushes.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { isUnaccounted, readWaveProgress } from "../../src/store/wave-progress.ts";
import { accountFor, listEndedInWave, listOpenWaves } from "../../src/store/waves.ts";
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
  await records.db.query(
    `insert into node (mesh, name, address) select $1, 'n-' || n, '10.0.0.1' from generate_series(1, 100) as n`,
    [mesh],
  );
  await records.db.query(
    `insert into declaration (mesh, node, epoch, number, digest, incarnation, envelope, builds, push, round, why, issued_at, stale_after)
       select $1, 'n-' || (1 + n % 100), 1, n, 'd', 'aaaa', '', '{}', 'p', 0, '', now(), now()
         from generate_series(1, 2000) as n`,
    [mesh],
  );
  await records.db.query(`analyze build, provision, node, declaration`);
});
afterAll(() => records.close());

const lastOfNode = /declaration_pkey.*\s+Index Cond: .*node = n\.name/;

/** Of the statements, the one about sends. */
async function planFactsOf(db: Queryable): Promise<void> {
  let sends: Promise<unknown> | undefined;
  await loadCollectionFacts(
    {
      query: async (sql, values) => {
        if (sql.includes("from declaration")) sends = db.query(sql, values);
        return { rows: sql.includes("from ") ? [] : [{ now: new Date() }], count: 0 };
      },
    },
    mesh,
  );
  await sends;
}

/** How PostgreSQL answers where reading a whole table is what it does last of all. */
async function planOf(
  ask: (db: Queryable) => Promise<unknown>,
  /** What the one who asks is answered, where it needs something to read. */
  answered: readonly object[] = [],
): Promise<string> {
  return inTransaction(records.db, { isolation: "read committed" }, async (tx) => {
    await tx.query(`set local enable_seqscan = off`);
    let plan = "";
    const explain = async (sql: string, values?: readonly unknown[]): Promise<Answer> => {
      const { rows } = await tx.query(`explain ${sql}`, values);
      plan = rows.map((row) => String(Object.values(row as object)[0])).join("\n");
      return { rows: [...answered], count: 0 };
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
    ["build_open", (db) => listBuildsUnderWay(db, mesh, { now: new Date().toISOString(), lostAfterMs: 1000 })],
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

  it.each<[string, RegExp, (db: Queryable) => Promise<unknown>]>([
    [
      "builds of a wave that stands still, each module",
      /build_pkey.*\s+Index Cond: .*module = a\.name/,
      (db) => findStillWave(db, mesh, 1),
    ],
    ["the last sends that need artifacts, each node", lastOfNode, (db) => listNeeded(db, mesh)],
    ["the last sends of what runs under auto, each node", lastOfNode, (db) => listAutoDue(db, mesh)],
    ["the last sends that keep artifacts, each node", lastOfNode, (db) => planFactsOf(db)],
  ])("is looked up for %s by its key (R33)", async (_, wanted, ask) => {
    expect(await planOf(ask)).toMatch(wanted);
  });

  it.each<[string, (db: Queryable) => Promise<unknown>]>([
    ["what is accounted for of them", (db) => isUnaccounted(db, mesh, ["core"])],
    [
      "whether it announced them",
      (db) => accountFor(db, mesh, "w", new Map([["core", { outcome: "built", why: "" }]])),
    ],
  ])("joins the many modules of a wave, and asks its row only once %s", async (_, ask) => {
    expect(await planOf(ask, [{ open: false }])).not.toMatch(/ \? /);
  });

  it("asks for the newest build of each module once, where logs are tidied (R33)", async () => {
    expect(await planOf((db) => listKeptLogs(db, mesh))).not.toMatch(/SubPlan/);
  });
});
