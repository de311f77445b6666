import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assign, unassign } from "../../src/store/assignments.ts";
import { listConditions, observeCondition } from "../../src/store/conditions.ts";
import { listSends } from "../../src/store/declarations.ts";
import { withGate } from "../../src/store/gate.ts";
import { addNode, listNodes } from "../../src/store/nodes.ts";
import { insertProvisions, listOwed, withdrawProvisions } from "../../src/store/provisions.ts";
import { listRemovedNodes, type NodeRemoval, removeNode, wasNodeRemoved } from "../../src/store/remove-node.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import {
  addModules,
  addNodes,
  declarationOf,
  digestOf,
  grant,
  latch,
  mesh,
  openRecords,
  provisionOf,
  type Records,
  send,
  sendOne,
  untilWaiting,
} from "./open-records.ts";

let records: Records;
let epoch: number;

beforeEach(async () => {
  records = await openRecords();
  await addModules(records.db, "web");
  await addNodes(records.db, "node-a", "node-b");
  epoch = await grant(records.db);
});
afterEach(() => records.close());

const free: NodeRemoval = {
  known: true,
  removed: true,
  enrolled: false,
  unread: false,
  stopped: false,
  assigned: [],
  carried: [],
  carriesUnknown: false,
  issued: [],
  owed: [],
};
/** With the rights that the command has (R41). */
const remove = (whereEnrolled: "stays" | "goes" = "stays", node = "node-a"): Promise<NodeRemoval> =>
  removeNode(records.as("operator"), mesh, node, { by: "ann@desk", whereEnrolled });

async function enrol(node = "node-a"): Promise<void> {
  const text = `update node set incarnation = 'aaaa', sign_key = 's', seal_key = 'age1aaaaaaaaaaaaaaaaaaaaaaaaa' where name = $1`;
  await records.db.query(text, [node]);
}

async function report(node: string, at: { epoch: number; number: number }): Promise<void> {
  const text = `insert into account (mesh, node, incarnation, epoch, number, boot, sequence, outcome, report, received_at)
    values ($1, $2, 'aaaa', $3, $4, 1, 1, 'applied', '{}', now())
    on conflict (mesh, node) do update set epoch = excluded.epoch, number = excluded.number`;
  await records.db.query(text, [mesh, node, at.epoch, at.number]);
}

describe("a node that was added with a slip in its name", () => {
  it("goes with its tokens, and leaves a note of who removed it", async () => {
    const token = `insert into enrolment_token (hash, mesh, node, expires_at) values ('h', $1, 'node-a', now() + interval '1 hour')`;
    await records.db.query(token, [mesh]);
    expect(await remove()).toEqual(free);
    expect((await listNodes(records.db, mesh)).map(({ name }) => name)).toEqual(["node-b"]);
    expect((await records.db.query("select * from enrolment_token")).rows).toEqual([]);
    expect(await listRemovedNodes(records.db, mesh)).toMatchObject([{ name: "node-a", removedBy: "ann@desk" }]);
    expect(await remove()).toMatchObject({ known: false, removed: false });
  });

  it("was never there: nothing is noted, and no caller by that name is told that it was", async () => {
    expect(await remove("goes", "node-z")).toEqual({ ...free, known: false, removed: false });
    expect(await wasNodeRemoved(records.db, mesh, "node-z")).toBe(false);
  });
});

describe("a node stays", () => {
  it("while something is assigned to it, or was last sent to it", async () => {
    const { db } = records;
    await assign(db, mesh, { node: "node-a", module: "web", config: {}, providers: {} });
    expect(await remove("goes")).toEqual({ ...free, removed: false, assigned: ["web"] });
    await sendOne(db, epoch, "node-a", { builds: { web: digestOf("out") } });
    await unassign(db, mesh, { node: "node-a", module: "web" });
    expect(await remove("goes")).toEqual({ ...free, removed: false, unread: true, carried: ["web"] });
    await sendOne(db, epoch, "node-a");
    await db.query("update declaration set builds = null");
    expect(await remove("goes")).toMatchObject({ removed: false, carriesUnknown: true });
  });

  it("while something is issued to it, or from it", async () => {
    const access = { node: "node-a", module: "meshboard", requirement: "database", provider: "node-b" };
    await withGate(records.db, { mesh, epoch, count: 1 }, (tx) =>
      insertProvisions(tx, mesh, { push: "p1", provisions: [provisionOf("node-a")] }),
    );
    expect(await remove("goes")).toEqual({ ...free, removed: false, issued: [access] });
    expect(await remove("goes", "node-b")).toEqual({ ...free, removed: false, issued: [access] });
  });

  it("while the mesh is stopped: what hosts have is the ground that a recovery goes on above (R35)", async () => {
    await records.db.query("update mesh set stopped_at = now(), stopped_for = 'hosts-ahead'");
    expect(await remove("goes")).toEqual({ ...free, removed: false, stopped: true });
  });

  it("where a host enrolled, unless that is meant; whether it read back the last that it was sent is said", async () => {
    await enrol();
    expect(await remove()).toEqual({ ...free, removed: false, enrolled: true });
    const first = await sendOne(records.db, epoch, "node-a");
    const order = await sendOne(records.db, epoch, "node-a");
    await report("node-a", first);
    expect(await remove()).toEqual({ ...free, removed: false, enrolled: true, unread: true });
    await report("node-a", order);
    expect(await remove("goes")).toEqual({ ...free, enrolled: true });
    expect((await records.db.query("select * from account")).rows).toEqual([]);
  });
});

describe("a node that a push is composing for while somebody removes it", () => {
  it("stays with what it was sent and what was issued to it (R20)", async () => {
    const { db } = records;
    await assign(db, mesh, { node: "node-a", module: "web", config: {}, providers: {} });
    const [inside, go] = [latch(), latch()];
    const pushed = withGate(db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
      inside.open();
      await go.opened;
      await insertProvisions(tx, mesh, { push: "p1", provisions: [provisionOf("node-a")] });
      await send(tx, declarationOf("node-a", { epoch, number }, { builds: { web: digestOf("out") } }));
    });
    await inside.opened;
    await unassign(db, mesh, { node: "node-a", module: "web" });
    const removed = remove("goes");
    await untilWaiting(db).finally(() => go.open());
    await pushed;
    expect(await removed).toMatchObject({ removed: false, carried: ["web"], issued: [{ node: "node-a" }] });
    expect((await listNodes(db, mesh)).map(({ name }) => name)).toContain("node-a");
  });

  it("is gone for the push that waited for the removal: it is composed of a mesh without it (R27)", async () => {
    const { db } = records;
    const [inside, go] = [latch(), latch()];
    // Its row is held, so that the removal stands between the two of its statements.
    const holder = inTransaction(db, { isolation: "read committed" }, async (tx) => {
      await tx.query(`select from node where name = 'node-a' for update`);
      inside.open();
      await go.opened;
    });
    await inside.opened;
    const removed = remove();
    await untilWaiting(db);
    const seen = withGate(db, { mesh, epoch, count: 1 }, async (tx) => listNodes(tx, mesh));
    await untilWaiting(db, 2).finally(() => go.open());
    await holder;
    expect(await removed).toEqual(free);
    expect((await seen).map(({ name }) => name)).toEqual(["node-b"]);
  });
});

describe("a node whose host stops the mesh by what it has, while somebody removes it", () => {
  it("stays: the removal is let go by the server, and asks again (R35)", async () => {
    // Long enough for the other one to come, so that it is the removal that the server ends.
    const { rows } = await records.db.query(`select current_database() as name`);
    await records.db.query(`alter database "${(rows[0] as { name: string }).name}" set deadlock_timeout = '3s'`);
    const fresh = records.open();
    const [inside, go] = [latch(), latch()];
    const claimed = inTransaction(records.db, { isolation: "read committed" }, async (tx) => {
      await tx.query(`set local deadlock_timeout = '60s'`);
      // As the row of a claim does, which refers to the node.
      await tx.query(`select from node where name = 'node-a' for key share`);
      inside.open();
      await go.opened;
      await tx.query(`update mesh set stopped_at = now(), stopped_for = 'hosts-ahead'`);
    });
    await inside.opened;
    const removed = removeNode(fresh, mesh, "node-a", { by: "ann@desk", whereEnrolled: "goes" });
    await untilWaiting(records.db).finally(() => go.open());
    await claimed;
    expect(await removed).toEqual({ ...free, removed: false, stopped: true });
  });
});

describe("a node that was removed", () => {
  it("gives up the withdrawals that only its host could confirm (R20)", async () => {
    await withGate(records.db, { mesh, epoch, count: 1 }, async (tx) => {
      const provisions = [provisionOf("node-a")];
      await insertProvisions(tx, mesh, { push: "p1", provisions });
      await withdrawProvisions(tx, mesh, { push: "p2", ids: provisions.map(({ id }) => id) });
    });
    expect(await remove("stays", "node-b")).toMatchObject({ removed: false, owed: [{ node: "node-a" }] });
    expect(await listOwed(records.db, mesh)).toHaveLength(1);
    expect(await remove("goes", "node-b")).toMatchObject({ removed: true, owed: [{ module: "meshboard" }] });
    expect(await listOwed(records.db, mesh)).toEqual([]);
  });

  it("is never sent a lower number when it is added again, and what it was sent is history (R35, R36)", async () => {
    await enrol();
    const before = await sendOne(records.db, epoch, "node-a");
    await remove("goes");
    expect(await wasNodeRemoved(records.db, mesh, "node-a")).toBe(true);
    await addNode(records.db, mesh, { name: "node-a", address: "10.0.0.9" });
    expect(await wasNodeRemoved(records.db, mesh, "node-a")).toBe(false);
    expect(await listRemovedNodes(records.db, mesh)).toEqual([]);
    const after = await sendOne(records.db, epoch, "node-a");
    expect(after.number).toBeGreaterThan(before.number);
    expect((await listSends(records.db, mesh, "node-a", 5)).map(({ order }) => order.number)).toEqual([
      after.number,
      before.number,
    ]);
    await remove("goes");
    expect(await listRemovedNodes(records.db, mesh)).toMatchObject([{ name: "node-a" }]);
  });

  it("takes along what was said of it, and nothing of others", async () => {
    const said = { message: "m", remedy: "r", urgent: false } as const;
    for (const node of ["node-a", "node-ab"]) {
      await observeCondition(records.db, mesh, { ...said, code: "unknown-host", subject: node });
      await observeCondition(records.db, mesh, { ...said, code: "host-disk-full", subject: `${node} /srv` });
    }
    await remove();
    expect((await listConditions(records.db, mesh)).map(({ subject }) => subject).toSorted()).toEqual([
      "node-ab",
      "node-ab /srv",
    ]);
  });
});
