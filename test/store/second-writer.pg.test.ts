import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Order } from "../../src/core/declaration.ts";
import type { Refusal } from "../../src/core/report.ts";
import { judgeReport } from "../../src/decide/judge-report.ts";
import { keepAccount } from "../../src/store/accounts.ts";
import { clearCondition, listConditions } from "../../src/store/conditions.ts";
import type { Database, Transaction } from "../../src/store/database.ts";
import { recoverMesh } from "../../src/store/recovery.ts";
import { noteSecondWriter } from "../../src/store/second-writer.ts";
import { stopMesh } from "../../src/store/stop.ts";
import { keepRoles } from "../../src/store/writers/keep-roles.ts";
import { addNodes, digestOf, grant, mesh, openRecords, type Records, reportOf, sendOne } from "./open-records.ts";

let records: Records;
/** With no more rights than the gateway has (R41). */
let gateway: Database;
let epoch: number;
/** What node-b was sent, and node-a never. */
let others: Order;
let first: Order;
let has: Order;
let sequence = 0;

beforeEach(async () => {
  await records?.close();
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
  await records.db.query(`update node set incarnation = 'aaaa'`);
  await keepRoles(records.db);
  gateway = records.open({ role: "gateway" });
  epoch = await grant(records.db);
  others = await sendOne(records.db, epoch, "node-b");
  first = await sendOne(records.db, epoch, "node-a");
  has = await sendOne(records.db, epoch, "node-a");
  await report();
});
afterAll(() => records.close());

/** The host has what it was sent last, and refused these since it took that. */
async function report(...refusals: Refusal[]): Promise<void> {
  sequence += 1;
  const body = { ...reportOf("node-a", { has, digest: digestOf("node-a {}"), sequence }), refusals };
  expect(await keepAccount(gateway, mesh, body, (facts) => judgeReport(body, facts))).toMatchObject({ kind: "kept" });
}

function refused(check: Refusal["check"], offered: Order, count = 1): Refusal {
  return { check, message: "", offered, count, at: "2026-01-01T00:00:00.000Z" };
}

const open = () => listConditions(records.db, mesh);

describe("a second writer of a node's declarations (R38)", () => {
  it("is an urgent condition of that node, until a person ends it, and again when it writes again", async () => {
    await report(refused("same-number-other-digest", has));
    expect(await open()).toMatchObject([
      {
        code: "second-writer",
        subject: "node-a",
        urgent: true,
        count: 1,
        message: expect.stringContaining(`epoch ${epoch}:`),
      },
    ]);
    await report(refused("same-number-other-digest", has));
    expect(await open()).toMatchObject([{ count: 1 }]);
    await clearCondition(records.db, mesh, { code: "second-writer", subject: "node-a" });
    // Its host says it for as long as it is sent nothing else.
    await report(refused("same-number-other-digest", has));
    expect(await open()).toEqual([]);
    await report(refused("same-number-other-digest", has, 2));
    expect(await open()).toMatchObject([{ code: "second-writer" }]);
  });

  it("is none where what comes late was sent to this node, and one where it was sent to another one", async () => {
    await report(refused("older", first));
    expect(await open()).toEqual([]);
    await report(refused("older", first), refused("older", others));
    expect(await open()).toMatchObject([
      { subject: "node-a", message: expect.stringContaining(`refused ${epoch}.${others.number},`) },
    ]);
  });

  it("is none where what comes late was pruned", async () => {
    await records.db.query(`insert into pruned_declaration (mesh, node, epoch, number) values ($1, 'node-a', $2, $3)`, [
      mesh,
      epoch,
      others.number,
    ]);
    await report(refused("older", others));
    expect(await open()).toEqual([]);
  });

  it("is none where what comes late may have been lost, before somebody went on above what hosts have (R35)", async () => {
    await stopMesh(records.db, mesh, { reason: "restored", above: { epoch: 1_000, number: 1 } });
    await report();
    const request = { mesh, without: ["node-b"], by: "ada", why: "restored" };
    expect((await recoverMesh(records.db, request)).plan).toMatchObject({ kind: "ready" });
    await report(refused("older", others));
    expect(await open()).toEqual([]);
  });

  it("costs no statement where nothing new was refused", async () => {
    const one = refused("older", first);
    const asked: string[] = [];
    const tx: Transaction = {
      transaction: true,
      query: (sql) => {
        asked.push(sql);
        return Promise.resolve({ rows: [], count: 0 });
      },
    };
    const said = { ...reportOf("node-a", { has }), refusals: [one] };
    await noteSecondWriter(tx, mesh, said, [one]);
    expect(asked).toEqual([]);
    await expect(noteSecondWriter(tx, mesh, said, [])).rejects.toThrow();
    expect(asked.length).toBeGreaterThan(1);
  });
});
