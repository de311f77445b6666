import { describe, expect, it } from "vitest";
import { judgeReport, type ReportFacts } from "../../src/decide/judge-report.ts";
import { digestNamed } from "./support/build-world.ts";
import { failedReport, minutesLater } from "./support/build-report.ts";

describe("a report of a host that enrolled anew under the same name (R32, R38, case 22)", () => {
  it("is counted though its boot and sequence are those of the last report of the host before it", () => {
    const before = failedReport(2, { "service/web/main": "" });
    const report = {
      ...failedReport(2, { "service/web/main": "" }, { epoch: 1, number: 9 }),
      incarnation: "host-again",
    };
    const place = { has: before.has, boot: before.boot, sequence: before.sequence };
    const track = {
      ...place,
      appliedSince: null,
      failing: ["service/web/main"],
      failingSince: minutesLater(0),
      failingCount: 2,
      noSuccessSince: minutesLater(0),
      noSuccessCount: 2,
    };
    const facts: ReportFacts = {
      account: { ...place, incarnation: before.incarnation, track },
      incarnation: "host-again",
      sentDigest: digestNamed("content of 7"),
      receivedAt: minutesLater(5),
    };
    expect(judgeReport(report, facts)).toMatchObject({
      kind: "kept",
      track: { has: { epoch: 1, number: 9 }, failingCount: 1, failingSince: minutesLater(5), noSuccessCount: 1 },
    });
  });
});
