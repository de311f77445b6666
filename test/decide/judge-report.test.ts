import { describe, expect, it } from "vitest";
import type { Order } from "../../src/core/declaration.ts";
import type { Report } from "../../src/core/report.ts";
import { judgeReport, listGrantsRead, type ReportFacts } from "../../src/decide/judge-report.ts";
import { digestNamed } from "./support/build-world.ts";
import { buildReport, failedReport, minutesLater, resourceRow } from "./support/build-report.ts";

const web = "service/web/main";

/** What is known of a host whose last report was this one, twice failed. */
function factsAfter(last: Report, more: Partial<ReportFacts> = {}): ReportFacts {
  const place = { has: last.has, boot: last.boot, sequence: last.sequence };
  const track = {
    ...place,
    appliedSince: null,
    failing: [web],
    failingSince: minutesLater(0),
    failingCount: 2,
    noSuccessSince: minutesLater(0),
    noSuccessCount: 2,
  };
  return {
    account: { ...place, incarnation: last.incarnation, track, report: { bootId: last.bootId, at: last.at } },
    incarnation: last.incarnation,
    sentDigest: digestNamed("content of 7"),
    receivedAt: minutesLater(5),
    ...more,
  };
}

describe("a report of a host that enrolled anew under the same name (R32, R38, case 22)", () => {
  it.each<Order>([
    { epoch: 1, number: 9 },
    { epoch: 1, number: 7 },
  ])("is counted though its boot and sequence are those of the last report of the host before it", (has) => {
    const before = failedReport(2, { [web]: "" });
    const report = { ...failedReport(2, { [web]: "" }, has), incarnation: "host-again" };
    expect(judgeReport(report, factsAfter(before, { incarnation: "host-again" }))).toMatchObject({
      kind: "kept",
      track: { has, failingCount: 1, failingSince: minutesLater(5), noSuccessCount: 1 },
    });
  });
});

describe("a report of the same host (R32, R38)", () => {
  it("goes on with what repeats", () => {
    const decision = judgeReport(failedReport(3, { [web]: "" }), factsAfter(failedReport(2, { [web]: "" })));
    expect(decision).toMatchObject({ kind: "kept", track: { failingCount: 3, failingSince: minutesLater(0) } });
  });

  it("is the first: nothing repeats yet", () => {
    const facts = { ...factsAfter(buildReport()), account: null };
    expect(judgeReport(failedReport(1, { [web]: "" }), facts)).toMatchObject({
      kind: "kept",
      track: { failingCount: 1 },
    });
  });

  it("is not kept where it is older, and its host is told what is; it went back only if it had been told before", () => {
    const last = buildReport({ boot: 6, bootId: "six" });
    const kept = { has: last.has, boot: 6, sequence: last.sequence };
    const late = buildReport({ boot: 5, bootId: "five" });
    expect(judgeReport(late, factsAfter(last))).toEqual({
      kind: "older",
      message: expect.stringContaining("boot 6"),
      kept,
      reversion: null,
    });
    expect(judgeReport({ ...late, behind: kept }, factsAfter(last))).toMatchObject({
      kind: "older",
      kept,
      reversion: { to: { epoch: 1, number: 7 }, why: expect.stringContaining("start 6") },
    });
  });

  it("is not said to have gone back where nobody knows which start made the one that is kept", () => {
    const { account, ...facts } = factsAfter(buildReport({ boot: 6 }));
    if (account === null) throw new Error("there is an account");
    const { report: _unknown, ...kept } = account;
    const behind = { has: kept.has, boot: 6, sequence: kept.sequence };
    const decision = judgeReport(buildReport({ boot: 5, behind }), { ...facts, account: kept });
    expect(decision).toMatchObject({ kind: "older", kept: behind, reversion: null });
  });

  it("changes nothing that repeats where it is refused", () => {
    const facts = factsAfter(buildReport(), { incarnation: "host-again" });
    expect(judgeReport(buildReport({ sequence: 2 }), facts)).not.toHaveProperty("track");
  });
});

describe("what a provider's host read back as present (R20)", () => {
  const provisions = [{ provision: "web-on-node-b", version: 2 }];
  const grant = (id: string) => ({ ...resourceRow(id, "applied"), provisions });

  it("is each grant list that was read, under the declaration that it was read under", () => {
    const resources = [grant("grant/database/postgresql"), resourceRow(web, "applied"), grant("grant/queue/rabbitmq")];
    expect(listGrantsRead(buildReport({ resources }))).toEqual({
      node: "node-a",
      incarnation: "host-node-a",
      has: { epoch: 1, number: 7 },
      grants: [
        { module: "database", kind: "postgresql", present: provisions },
        { module: "queue", kind: "rabbitmq", present: provisions },
      ],
    });
  });

  it.each<[string, Partial<Report>]>([
    ["there is no declaration", { has: null, resources: [grant("grant/database/postgresql")] }],
    ["there is no grant list", { resources: [resourceRow(web, "applied")] }],
    ["the provider could not be read", { resources: [resourceRow("grant/database/postgresql", "failed")] }],
    ["it is of a kind that this controller does not know", { resources: [grant("grant/database/oracle")] }],
    ["it is another resource than a grant", { resources: [grant("file/database/postgresql")] }],
  ])("is nothing where %s", (_what, parts) => {
    expect(listGrantsRead(buildReport(parts))).toBeNull();
  });
});
