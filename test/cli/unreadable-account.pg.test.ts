import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pino } from "pino";
import { readPush } from "../../src/cli/push/read-push.ts";
import type { Order } from "../../src/core/declaration.ts";
import type { Report } from "../../src/core/report.ts";
import { judgeReport } from "../../src/decide/judge-report.ts";
import { keepAccount } from "../../src/store/accounts.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { openPush, recordTold } from "../../src/store/pushes.ts";
import { foreseeRecovery } from "../../src/store/recovery.ts";
import { getAccount } from "../../src/store/read-accounts.ts";
import { listTightHosts } from "../../src/store/tight-hosts.ts";
import { watchAccounts } from "../../src/worker/watch-accounts.ts";
import { addNodes, declarationOf, digestOf, grant, mesh, reportOf, sendOne, until } from "../store/open-records.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

let bed: CommandBed;
const sent = new Map<string, Order>();

beforeEach(async () => {
  bed = await openCommandBed();
  const { db } = bed.records;
  await addNodes(db, "node-a", "node-b");
  await db.query(
    `update node set incarnation = 'aaaa', sign_key = 's', seal_key = 'age1aaaaaaaaaaaaaaaaaaaaaaaaa', last_contact_at = now()`,
  );
  const epoch = await grant(db);
  for (const node of ["node-a", "node-b"]) {
    sent.set(node, await sendOne(db, epoch, node));
    expect(await say(node, 5)).toBe("kept");
  }
});
afterEach(() => bed.close());

async function say(node: string, sequence: number, more: Partial<Report> = {}): Promise<string> {
  const has = sent.get(node) ?? null;
  const digest = digestOf(`${node} {}`);
  const said = { ...reportOf(node, { has, digest, sequence }), outcome: "applied" as const, ...more };
  return (await keepAccount(bed.records.db, mesh, said, (facts) => judgeReport(said, facts))).kind;
}

/** Each is a row that a newer controller, or a hand, left there. */
const poisons = {
  "an outcome of a newer controller": `outcome = 'half-way', report = jsonb_set(report, '{outcome}', '"half-way"')`,
  "a report of another schema": `report = jsonb_set(report, '{schema}', '2')`,
  "disks of another shape": `report = jsonb_set(report, '{disks}', '[{"folders": 1}]')`,
  "a reversion without words": `reverted = '{}'`,
};
const poison = (what: string) => bed.records.db.query(`update account set ${what} where node = 'node-a'`);

describe("a node whose account does not read (R26)", () => {
  it.each(Object.entries(poisons))("is cannot tell with why, and other nodes are served: %s", async (_, what) => {
    await poison(what);
    const document = (await bed.documentOf("status")) as { nodes: { node: string; word: string; why: string }[] };
    const stands = new Map(document.nodes.map(({ node, word, why }) => [node, { word, why }]));
    expect(stands.get("node-a")).toEqual({
      word: "cannot-tell",
      why: expect.stringContaining("the records of its host's latest report do not read"),
    });
    expect(stands.get("node-b")?.word).not.toBe("cannot-tell");
    expect((await bed.run("why", "node-a")).stdout).toContain("its host has reported, and what it said does not read");
    expect((await bed.run("why", "node-b")).stdout).toContain("its host reported applied");
  });

  it.each(Object.entries(poisons))("is healed by the next report, and by none before it (R38): %s", async (_, what) => {
    await poison(what);
    expect(await say("node-a", 4)).toBe("older");
    expect(await say("node-a", 5)).toBe("duplicate");
    await expect(getAccount(bed.records.db, mesh, "node-a")).rejects.toThrow("does not read as it should");
    expect(await say("node-a", 6)).toBe("kept");
    expect(await getAccount(bed.records.db, mesh, "node-a")).toMatchObject({ sequence: 6, reverted: null });
  });

  it("is said by a push that tells it, which waits for its word", async () => {
    const { db } = bed.records;
    await openPush(db, mesh, { id: "p1", kind: "all", named: [], requestedBy: "me", why: "" });
    await recordTold(
      db,
      mesh,
      "p1",
      ["node-a", "node-b"].map((node) => toldOf(node)),
    );
    await poison(poisons["a report of another schema"]);
    expect((await readPush(db, mesh, "p1", 60_000)).nodes).toMatchObject([
      { node: "node-a", effect: "cannot-tell", says: expect.stringContaining("do not read") },
      { node: "node-b", effect: "applied" },
    ]);
  });

  it("is not heard to a recovery, which says of the others what they have (R35)", async () => {
    const { db } = bed.records;
    await db.query(`update mesh set stopped_at = now() - interval '1 hour', stopped_for = 'restored'`);
    await poison(poisons["an outcome of a newer controller"]);
    const { plan } = await foreseeRecovery(db, mesh, []);
    expect(plan).toMatchObject({ kind: "blocked", missing: ["node-a"] });
    expect(plan.hosts.map(({ node, standing }) => [node, standing])).toEqual([
      ["node-a", "not-heard"],
      ["node-b", "known"],
    ]);
    expect((await foreseeRecovery(db, mesh, ["node-a"])).plan.kind).toBe("ready");
  });

  it("hides no full disk of another host", async () => {
    const disk = { folders: ["/x"], room: "none", freeBytes: 0, totalBytes: 1, freeNames: 0, totalNames: 1 } as const;
    expect(await say("node-b", 6, { disks: [{ ...disk, folders: ["/x"] }] })).toBe("kept");
    await poison(poisons["disks of another shape"]);
    expect((await listTightHosts(bed.records.db, mesh, 10)).map(({ node }) => node)).toEqual(["node-b"]);
  });

  it("is named by a condition with what to do, until its next report is kept (R33)", async () => {
    const { records } = bed;
    const find = async () => (await listConditions(records.db, mesh)).filter((one) => one.code.startsWith("account-"));
    await poison(poisons["an outcome of a newer controller"]);
    const log = pino({ level: "silent" });
    const watch = watchAccounts({ db: records.as("controller"), mesh, log, everyMs: 10 });
    try {
      const [found] = await until(() => find().then((all) => (all.length > 0 ? all : null)));
      expect(found).toMatchObject({ code: "account-unreadable", subject: "node-a" });
      expect(found?.message).toContain("outcome");
      await say("node-a", 6);
      await until(async () => (await find()).length === 0);
    } finally {
      await watch.stop();
    }
  });
});

function toldOf(node: string): Parameters<typeof recordTold>[3][number] {
  const { epoch, number } = sent.get(node) ?? { epoch: 0, number: 0 };
  const digest = declarationOf(node, { epoch, number }, {}).digest;
  return { node, round: 0, outcome: "sent", why: "", epoch, number, digest };
}
