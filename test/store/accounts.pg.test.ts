import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../src/core/report.ts";
import type { ReportDecision, ReportFacts } from "../../src/decide/judge-report.ts";
import { keepAccount } from "../../src/store/accounts.ts";
import { getAccount, listAccounts } from "../../src/store/read-accounts.ts";
import { getNode } from "../../src/store/nodes.ts";
import { addNodes, digestOf, grant, mesh, openRecords, reportOf, sendOne, type Records } from "./open-records.ts";

let records: Records;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
});
afterAll(() => records.close());
beforeEach(async () => {
  await records.db.query(`truncate account`);
  await records.db.query(`update node set refused_reports = 0`);
});

/** Order by sequence alone: which reports count is decide's business; that the decision is not torn is the store's. */
function bySequence(report: Report): (facts: ReportFacts) => ReportDecision {
  return ({ account, receivedAt }) => {
    if (account !== null && account.sequence === report.sequence) return { kind: "duplicate" };
    if (account !== null && account.sequence > report.sequence) return { kind: "older", message: "older" };
    const { has, boot, sequence } = report;
    const failingCount = (account?.track.failingCount ?? 0) + 1;
    return {
      kind: "kept",
      track: {
        has,
        boot,
        sequence,
        appliedSince: receivedAt,
        failing: ["file/core/x"],
        failingSince: receivedAt,
        failingCount,
        noSuccessSince: null,
        noSuccessCount: 0,
      },
    };
  };
}

const keep = (report: Report) => keepAccount(records.db, mesh, report, bySequence(report));

describe("the account of a node (R38)", () => {
  it("keeps the newest of 30 reports that arrive at once in any order, and counts the others (case 39)", async () => {
    const sequences = Array.from({ length: 30 }, (_, index) => ((index * 7) % 30) + 1);
    const decisions = await Promise.all(sequences.map((sequence) => keep(reportOf("node-a", { sequence }))));
    const account = await getAccount(records.db, mesh, "node-a");
    expect(account?.sequence).toBe(30);
    const kept = decisions.filter(({ kind }) => kind === "kept").length;
    // Every kept report saw the one kept before it: none was decided on an account that was already replaced.
    expect(account?.track.failingCount).toBe(kept);
    expect((await getNode(records.db, mesh, "node-a"))?.refusedReports).toBe(30 - kept);
  });

  it("knows when what it says was read back: by its own clock, however the host's goes (R31)", async () => {
    await keep({ ...reportOf("node-a"), at: "2020-01-01T00:00:00.000Z", readBack: { agoMs: 90_000, everyMs: 30_000 } });
    await keep(reportOf("node-b"));
    const ages = (await listAccounts(records.db, mesh)).accounts.map(
      ({ receivedAt, readBackAt }) => Date.parse(receivedAt) - Date.parse(readBackAt),
    );
    expect(ages).toEqual([90_000, 0]);
  });

  it("reckons with whatever time a host says: one that no calendar has hides no other node (case 39)", async () => {
    const readBack = { agoMs: Number.MAX_SAFE_INTEGER, everyMs: 30_000 };
    await keep({ ...reportOf("node-a"), readBack });
    await keep(reportOf("node-b"));
    const [account, ...others] = (await listAccounts(records.db, mesh)).accounts;
    expect(others.map(({ node }) => node)).toEqual(["node-b"]);
    expect(account?.report.readBack).toEqual(readBack);
    expect(account?.readBackAt).toMatch(/^(19|20)/);
    expect(await getAccount(records.db, mesh, "node-a")).toEqual(account);
  });

  it("counts a report that is refused before there is any account", async () => {
    const report = reportOf("node-a");
    await keepAccount(records.db, mesh, report, () => ({ kind: "unknown-declaration", message: "never sent" }));
    expect(await getAccount(records.db, mesh, "node-a")).toBeNull();
    expect((await getNode(records.db, mesh, "node-a"))?.refusedReports).toBe(1);
  });

  it("changes nothing for a duplicate", async () => {
    await keep(reportOf("node-a", { sequence: 5 }));
    const before = await getAccount(records.db, mesh, "node-a");
    expect(await keep(reportOf("node-a", { sequence: 5 }))).toEqual({ kind: "duplicate" });
    expect(await getAccount(records.db, mesh, "node-a")).toEqual(before);
    expect((await getNode(records.db, mesh, "node-a"))?.refusedReports).toBe(0);
  });

  it("is decided knowing what was sent under the number that the host has", async () => {
    const epoch = await grant(records.db);
    const order = await sendOne(records.db, epoch, "node-a", { builds: {} });
    const seen: (string | null)[] = [];
    const look = (facts: ReportFacts): ReportDecision => {
      seen.push(facts.sentDigest);
      return { kind: "duplicate" };
    };
    await keepAccount(records.db, mesh, reportOf("node-a", { has: order }), look);
    await keepAccount(records.db, mesh, reportOf("node-a", { has: { ...order, number: order.number + 1 } }), look);
    // Another node's declaration is not this node's.
    await keepAccount(records.db, mesh, reportOf("node-b", { has: order }), look);
    expect(seen).toEqual([digestOf(`node-a ${JSON.stringify({ builds: {} })}`), null, null]);
  });

  it("keeps the report whole, and what repeats beside it", async () => {
    const report = {
      ...reportOf("node-a", { has: { epoch: 3, number: 4 }, digest: digestOf("x") }),
      outcome: "applied" as const,
    };
    await keep(report);
    expect((await listAccounts(records.db, mesh)).accounts).toMatchObject([
      {
        node: "node-a",
        has: { epoch: 3, number: 4 },
        outcome: "applied",
        report,
        track: { failing: ["file/core/x"], failingCount: 1 },
      },
    ]);
  });

  it("writes nothing when the decision fails", async () => {
    const failing = keepAccount(records.db, mesh, reportOf("node-a"), () => {
      throw new Error("a mistake of ours");
    });
    await expect(failing).rejects.toThrow("a mistake of ours");
    expect(await getAccount(records.db, mesh, "node-a")).toBeNull();
  });
});
