import { afterAll, beforeAll, expect, it } from "vitest";
import { noteUnsettled } from "../../src/activities/note-unsettled.ts";
import type { PushResult, Told } from "../../src/core/push.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { endPush, openPush, recordTold } from "../../src/store/pushes.ts";
import { addNodes, mesh, openRecords, type Records } from "../store/open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
});
afterAll(() => records.close());

let pushes = 0;

/** A push that told one node this, and ended so. */
async function end(outcome: PushResult["outcome"], node: string, told: Told["outcome"] = "sent"): Promise<void> {
  const { db } = records;
  const push = `p${(pushes += 1)}`;
  const moving = outcome === "did-not-settle" ? [node] : [];
  await openPush(db, mesh, {
    id: push,
    kind: "named",
    named: [node],
    requestedBy: "me",
    why: "",
    confirmRemoval: false,
  });
  const order = told === "sent" ? { epoch: 1, number: pushes } : { epoch: null, number: null };
  await recordTold(db, mesh, push, [{ node, round: 0, outcome: told, why: "", digest: null, ...order }]);
  const counts = { rounds: 6, sent: 1, held: 0, notWorkedOut: 0, message: "it still moves" };
  const result: PushResult = { push, outcome, moving, ...counts };
  await endPush(db, mesh, push, result);
  await noteUnsettled(db, mesh, result);
}

const open = async () => (await listConditions(records.db, mesh)).map((one) => [one.code, one.count]);

it.each<[string, () => Promise<void>]>([
  ["one tells a node that it left moving", () => end("settled", "node-a")],
  ["one finds a node that it left moving as it should be", () => end("settled", "node-a", "already-current")],
  [
    "none of those is a node any more, and one settles",
    async () => {
      await records.db.query(`delete from node where name = 'node-a'`);
      await end("settled", "node-b");
    },
  ],
])("a push that did not settle is a condition until %s (R18, R33)", async (_what, settle) => {
  await end("did-not-settle", "node-a");
  await end("did-not-settle", "node-a");
  await end("refused", "node-a");
  // Of another node, which had nothing to do with it.
  await end("settled", "node-b", "already-current");
  await end("settled", "node-b");
  // It was looked at, and is to be no other than before only because something holds it.
  await end("settled", "node-a", "held");
  expect(await open()).toEqual([["push-did-not-settle", 2]]);
  await settle();
  expect(await open()).toEqual([]);
});
