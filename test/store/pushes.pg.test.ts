import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PushResult, Told } from "../../src/core/push.ts";
import { getDeclaration, listSends, listSent, newestDeclaration } from "../../src/store/declarations.ts";
import {
  endPush,
  getBaseline,
  getPush,
  listOpenPushes,
  listPushes,
  listTold,
  openPush,
  recordBaseline,
  recordTold,
} from "../../src/store/pushes.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import {
  addNodes,
  digestOf,
  grant,
  latch,
  mesh,
  openRecords,
  sendOne,
  untilWaiting,
  type Records,
} from "./open-records.ts";

let records: Records;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
});
afterAll(() => records.close());

const open = (id: string, why = "a test") =>
  openPush(records.db, mesh, { id, kind: "named", named: ["node-a"], requestedBy: "somebody", why });
const told = (more: Partial<Told>): Told => ({
  node: "node-a",
  round: 0,
  outcome: "held",
  why: "",
  epoch: null,
  number: null,
  digest: null,
  ...more,
});
const settled: PushResult = {
  push: "x",
  outcome: "settled",
  rounds: 1,
  sent: 1,
  held: 0,
  notWorkedOut: 0,
  moving: [],
  message: "",
};

describe("a push", () => {
  it("is opened once, whoever asks again under its id", async () => {
    expect(await open("once", "first")).toBe(true);
    expect(await open("once", "second")).toBe(false);
    expect(await getPush(records.db, mesh, "once")).toMatchObject({
      why: "first",
      named: ["node-a"],
      endedAt: null,
      result: null,
    });
  });

  it("keeps the baseline that was taken first, also when two take it at the same moment (R18)", async () => {
    await open("base");
    expect(await getBaseline(records.db, mesh, "base")).toBeNull();
    const take = (text: string, ...nodes: string[]) =>
      recordBaseline(records.db, mesh, "base", new Map(nodes.map((node) => [node, digestOf(text)])));
    const results = await Promise.all([take("1", "node-a"), take("2", "node-a", "node-b"), take("3", "node-b")]);
    expect(results.filter(Boolean)).toHaveLength(1);
    const winner = results.indexOf(true) + 1;
    const kept = await getBaseline(records.db, mesh, "base");
    expect(new Set(kept?.values())).toEqual(new Set([digestOf(String(winner))]));
    expect(kept?.size).toBe(winner === 2 ? 2 : 1);
  });

  it("tells a baseline of no nodes, and of one not worked out, from none", async () => {
    await open("empty");
    await recordBaseline(records.db, mesh, "empty", new Map());
    expect(await getBaseline(records.db, mesh, "empty")).toEqual(new Map());
    await open("unknown");
    await recordBaseline(records.db, mesh, "unknown", new Map([["node-a", null]]));
    expect(await getBaseline(records.db, mesh, "unknown")).toEqual(new Map([["node-a", null]]));
    expect(await recordBaseline(records.db, mesh, "never opened", new Map())).toBe(false);
  });

  it("never takes back that it sent, when a round is done again (case 37)", async () => {
    await open("told");
    const sent = told({ outcome: "sent", epoch: 1, number: 7, digest: digestOf("x") });
    await recordTold(records.db, mesh, "told", [
      told({ outcome: "not-worked-out", why: "no provider" }),
      told({ node: "node-b", round: 1 }),
    ]);
    await recordTold(records.db, mesh, "told", [sent]);
    await recordTold(records.db, mesh, "told", [told({ outcome: "already-current" })]);
    expect(await listTold(records.db, mesh, "told")).toMatchObject([
      sent,
      { node: "node-b", round: 1, outcome: "held" },
    ]);
  });

  it("ends once, with its first result, and keeps no row for each node of what was before it", async () => {
    await open("end");
    const before = new Map(["node-a", "node-b"].map((node) => [node, digestOf(node)]));
    await recordBaseline(records.db, mesh, "end", before);
    expect((await listOpenPushes(records.db, mesh)).map(({ id }) => id)).toContain("end");
    expect(await endPush(records.db, mesh, "end", settled)).toBe(true);
    expect(await endPush(records.db, mesh, "end", { ...settled, outcome: "failed" })).toBe(false);
    expect((await getPush(records.db, mesh, "end"))?.result?.outcome).toBe("settled");
    expect(await getBaseline(records.db, mesh, "end")).toEqual(new Map());
    expect((await listOpenPushes(records.db, mesh)).map(({ id }) => id)).not.toContain("end");
    expect((await listPushes(records.db, mesh, 1)).map(({ id }) => id)).toEqual(["end"]);
  });

  it("keeps no baseline that comes when it has ended, by an attempt that nobody waits for any more", async () => {
    await open("late");
    expect(await endPush(records.db, mesh, "late", settled)).toBe(true);
    expect(await recordBaseline(records.db, mesh, "late", new Map([["node-a", null]]))).toBe(false);
    expect(await getBaseline(records.db, mesh, "late")).toBeNull();
  });

  it("takes a baseline with it that was being written when it ended", async () => {
    await open("overlap");
    const written = latch();
    const looked = latch();
    const writing = inTransaction(records.db, { isolation: "read committed" }, async (tx) => {
      await recordBaseline(tx, mesh, "overlap", new Map([["node-a", null]]));
      written.open();
      await looked.opened;
    });
    await written.opened;
    const ending = endPush(records.db, mesh, "overlap", settled);
    await untilWaiting(records.db);
    looked.open();
    await writing;
    expect(await ending).toBe(true);
    expect(await getBaseline(records.db, mesh, "overlap")).toEqual(new Map());
  });
});

describe("the mailbox (R28)", () => {
  it("gives the newest by (epoch, number), with its exact bytes", async () => {
    const epoch = await grant(records.db);
    expect(await newestDeclaration(records.db, mesh, "node-a")).toBeNull();
    const first = await sendOne(records.db, epoch, "node-a");
    const second = await sendOne(records.db, epoch, "node-a");
    const bytes = Buffer.from(`envelope of ${second.epoch}.${second.number}`);
    expect(await newestDeclaration(records.db, mesh, "node-a")).toMatchObject({
      order: second,
      envelope: bytes,
      incarnation: "aaaa",
    });
    const later = await sendOne(records.db, await grant(records.db), "node-a");
    // As after a restore that set the counter back: a higher epoch is newer, whatever its number.
    await records.db.query(`update declaration set number = 1 where epoch = $1`, [later.epoch]);
    expect((await newestDeclaration(records.db, mesh, "node-a"))?.order).toEqual({ epoch: later.epoch, number: 1 });
    expect((await listSent(records.db, mesh)).map(({ node, order }) => [node, order])).toEqual([
      ["node-a", { epoch: later.epoch, number: 1 }],
    ]);
    expect((await listSends(records.db, mesh, "node-a", 2)).map(({ order }) => order)).toEqual([
      { epoch: later.epoch, number: 1 },
      second,
    ]);
    expect((await getDeclaration(records.db, mesh, "node-a", first))?.order).toEqual(first);
    expect(await getDeclaration(records.db, mesh, "node-b", first)).toBeNull();
  });
});
