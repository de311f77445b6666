import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import { artifactKey, type World } from "../../src/decide/world.ts";
import { assign, unassign } from "../../src/store/assignments.ts";
import { putArtifact } from "../../src/store/artifacts.ts";
import type { Transaction } from "../../src/store/database.ts";
import { withGate } from "../../src/store/gate.ts";
import { recordModulePlans } from "../../src/store/module-plans.ts";
import { loadWorldFor } from "../../src/store/part-of-world.ts";
import { insertProvisions, withdrawProvisions } from "../../src/store/provisions.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { loadWorld } from "../../src/store/world.ts";
import {
  addModules,
  addNodes,
  artifactOf,
  digestOf,
  grant,
  manifestOf,
  mesh,
  openRecords,
  provisionOf,
  sendOne,
  type Records,
} from "./open-records.ts";

let records: Records;
let epoch: number;
const snapshot = { isolation: "repeatable read" } as const;
const load = (): Promise<World> => inTransaction(records.db, snapshot, (tx) => loadWorld(tx, mesh));
const loadPart = (): Promise<World> => inTransaction(records.db, snapshot, (tx) => loadWorldFor(tx, mesh, ["node-a"]));

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
  await addModules(records.db, "core", "meshboard");
  epoch = await grant(records.db);
  for (const text of ["old", "sent", "fit"])
    await putArtifact(records.db, mesh, artifactOf("meshboard", text), manifestOf("meshboard"));
  const fit = { inputs: digestOf("inputs"), artifact: digestOf("fit") };
  await recordModulePlans(records.db, mesh, [
    { module: "meshboard", standing: "current", standingWhy: "", wantedInputs: fit.inputs, fit },
  ]);
  await assign(records.db, mesh, { node: "node-a", module: "meshboard", config: { title: "hello" }, providers: {} });
  await sendOne(records.db, epoch, "node-a", { builds: { meshboard: digestOf("old") } });
  await sendOne(records.db, epoch, "node-a", { builds: { meshboard: digestOf("sent") } });
});
afterAll(() => records.close());
beforeEach(() => records.db.query(`truncate provision cascade`));

describe("the world", () => {
  it("has the artifacts that are fit now or were last sent, and no others", async () => {
    const world = await load();
    expect([...world.artifacts.keys()].toSorted()).toEqual(
      [artifactKey("meshboard", digestOf("fit")), artifactKey("meshboard", digestOf("sent"))].toSorted(),
    );
    expect(world.modules.get("meshboard")).toEqual({ name: "meshboard", upgrade: null, fit: digestOf("fit") });
    expect(world.modules.get("core")).toEqual({ name: "core", upgrade: null, fit: null });
  });

  it("has what each node was last sent; one that was never told is not in it (R21)", async () => {
    const world = await load();
    expect([...world.sent.keys()]).toEqual(["node-a"]);
    expect(world.sent.get("node-a")).toMatchObject({
      builds: { meshboard: digestOf("sent") },
      incarnation: "aaaa",
      offers: [],
    });
    await records.db.query(`update declaration set builds = null where number = (select max(number) from declaration)`);
    expect((await load()).sent.get("node-a")?.builds).toBeNull();
    await records.db.query(`update declaration set builds = $1 where builds is null`, [
      JSON.stringify({ meshboard: digestOf("sent") }),
    ]);
  });

  it("takes the newest send by (epoch, number), not by when it was written (R27)", async () => {
    await records.db.query(
      `insert into declaration select mesh, node, epoch + 1, 1, $1, incarnation, envelope, builds, offers, push, round, why, issued_at - interval '1 year', stale_after
         from declaration order by number limit 1`,
      [digestOf("higher epoch")],
    );
    expect((await load()).sent.get("node-a")).toMatchObject({
      order: { epoch: epoch + 1, number: 1 },
      digest: digestOf("higher epoch"),
    });
    await records.db.query(`delete from declaration where epoch = $1`, [epoch + 1]);
  });

  it("has one live version of each provision, and remembers the highest there ever was", async () => {
    const { id } = provisionOf("node-a");
    await withGate(records.db, { mesh, epoch, count: 1 }, async (tx) => {
      await insertProvisions(tx, mesh, { push: "p1", provisions: [provisionOf("node-a", 1)] });
      await withdrawProvisions(tx, mesh, { push: "p2", ids: [id] });
    });
    expect((await load()).provisions.get(id)).toMatchObject({ version: 1, state: "owed" });
    await withGate(records.db, { mesh, epoch, count: 1 }, (tx) =>
      insertProvisions(tx, mesh, { push: "p3", provisions: [provisionOf("node-a", 2)] }),
    );
    const world = await load();
    expect(world.provisions.get(id)).toMatchObject({ version: 2, state: "issued" });
    await records.db.query(`update provision set state = 'withdrawn'`);
    const after = await load();
    expect([after.provisions.size, after.versions.get(id)]).toEqual([0, 2]);
  });

  it("is of one moment, also when the records move between two reads", async () => {
    const world = await inTransaction(records.db, snapshot, async (tx) => {
      await tx.query(`select from mesh`);
      await unassign(records.db, mesh, { node: "node-a", module: "meshboard" });
      return loadWorld(tx, mesh);
    });
    expect(world.assignments.get("node-a")).toHaveLength(1);
    expect((await load()).assignments.get("node-a")).toBeUndefined();
    await assign(records.db, mesh, { node: "node-a", module: "meshboard", config: {}, providers: {} });
    await expect(
      inTransaction(records.db, { isolation: "read committed" }, (tx) => loadWorld(tx, mesh)),
    ).rejects.toThrow("one moment");
    await expect(
      inTransaction(records.db, { isolation: "read committed" }, (tx) => loadWorldFor(tx, mesh, ["node-a"])),
    ).rejects.toThrow("one moment");
  });
});

describe("an error is never an empty world (R26, R42, case 28)", () => {
  /** Ends the transaction's own connection before its statement number `at`. */
  function cutBefore(tx: Transaction, at: number): { tx: Transaction; count: () => number } {
    let asked = 0;
    const query: Transaction["query"] = async (sql, values) => {
      if (asked++ === at) {
        const { rows } = await tx.query(`select pg_backend_pid() as pid`);
        await records.db.query(`select pg_terminate_backend($1, 5000)`, [(rows[0] as { pid: number }).pid]);
      }
      return tx.query(sql, values);
    };
    return { tx: { transaction: true, query }, count: () => asked };
  }

  it.each([
    ["of the whole", loadWorld],
    ["of a part", (tx: Transaction) => loadWorldFor(tx, mesh, ["node-a"])],
  ] as const)("when the connection is cut before any one of its reads, %s", async (_which, loadSome) => {
    let statements = 0;
    await inTransaction(records.db, snapshot, async (tx) => {
      const counted = cutBefore(tx, -1);
      await loadSome(counted.tx, mesh);
      statements = counted.count();
    });
    expect(statements).toBeGreaterThanOrEqual(7);
    for (let at = 0; at < statements; at++) {
      const cut = inTransaction(records.db, snapshot, (tx) => loadSome(cutBefore(tx, at).tx, mesh));
      await expect(cut, `cut before statement ${at}`).rejects.toBeInstanceOf(UnavailableError);
    }
  });

  const broken: readonly (readonly [string, string, string])[] = [
    [
      "a manifest",
      `update module set manifest = '{"module": "core"}' where name = 'core'`,
      `update module set manifest = null`,
    ],
    [
      "an artifact's manifest",
      `update artifact set manifest = '{}'`,
      `update artifact set manifest = '{"module": "meshboard", "language": "files"}'`,
    ],
    ["an assignment", `update assignment set config = '{"A b": "c"}'`, `update assignment set config = '{}'`],
    [
      "the builds of a send",
      `update declaration set builds = '{"meshboard": "latest"}' where number = (select max(number) from declaration)`,
      `select 1`,
    ],
  ];
  for (const [what, damage, mend] of broken) {
    it(`when ${what} does not parse`, async () => {
      await records.db.query(damage);
      await expect(load()).rejects.toThrow("does not read as it should");
      // Of what a part does not read, nothing is said.
      if (what !== "a manifest") await expect(loadPart()).rejects.toThrow("does not read as it should");
      await records.db.query(mend);
    });
  }
});
