import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Report } from "../../src/core/report.ts";
import type { ReportPlace } from "../../src/core/report.ts";
import { compareReports, keepReport } from "../../src/decide/order-reports.ts";
import { buildReport } from "./support/build-report.ts";
import { digestNamed } from "./support/build-world.ts";

const last = buildReport({ boot: 3, sequence: 10 });
const account = { ...last, incarnation: "host-node-a", report: last };
const incarnation = "host-node-a";
const keep = (parts: Partial<Report>, sentDigest = digestNamed("content of 7")): string => {
  const report = buildReport({ boot: 3, sequence: 11, ...parts });
  return keepReport({ account, report, incarnation, sentDigest }).kind;
};

describe("a report is kept (R38, case 39)", () => {
  it.each<[string, Partial<Report>, string]>([
    ["when it is the next", {}, "kept"],
    ["as a duplicate when it arrives twice: counts nothing", { sequence: 10 }, "duplicate"],
    [
      "not, when another copy of the host made one in its place, as from a resumed snapshot",
      { sequence: 10, at: "2026-01-01T00:00:07.000Z", outcome: "failed" },
      "older",
    ],
    ["not, when it is late", { sequence: 9 }, "older"],
    ["not, when it is from before a reboot", { boot: 2, sequence: 999 }, "older"],
    ["when the host started again", { boot: 4, sequence: 1 }, "kept"],
    [
      "not, when it is about the declaration before (case 40)",
      { has: { epoch: 1, number: 6 }, boot: 9, sequence: 99 },
      "older",
    ],
    [
      "when it is about the next declaration, whatever boot",
      { has: { epoch: 1, number: 8 }, boot: 1, sequence: 1 },
      "kept",
    ],
    ["not, when it has nothing although it had something", { has: null, digest: null }, "older"],
    ["not, when another host under this name sent it", { incarnation: "host-other" }, "wrong-incarnation"],
    [
      "not, when it has content that was never sent under this number",
      { digest: digestNamed("other") },
      "unknown-declaration",
    ],
  ])("%s", (_, parts, kind) => {
    expect(keep(parts)).toBe(kind);
  });

  it("not, when the records know no such declaration: they may be old ones (R35)", () => {
    const report = buildReport({ has: { epoch: 5, number: 900 } });
    const kept = keepReport({ account, report, incarnation, sentDigest: null });
    expect(kept).toMatchObject({ kind: "unknown-declaration", message: expect.stringContaining("has 5.900") });
  });

  it("from a host that was enrolled again, whatever the host before it had said", () => {
    const report = buildReport({ incarnation: "host-new", has: null, digest: null, boot: 0 });
    expect(keepReport({ account, report, incarnation: "host-new", sentDigest: null }).kind).toBe("kept");
  });

  it("from nobody when nobody is enrolled", () => {
    expect(keepReport({ account: null, report: buildReport(), incarnation: null, sentDigest: null }).kind).toBe(
      "wrong-incarnation",
    );
  });
});

describe("what is said of a report that is not kept (R38)", () => {
  const say = (parts: Partial<Report>, sent: string | null = "content of 7", enrolled: string | null = incarnation) => {
    const sentDigest = sent === null ? null : digestNamed(sent);
    const kept = keepReport({ account, report: buildReport(parts), incarnation: enrolled, sentDigest });
    return "message" in kept ? kept.message : kept.kind;
  };

  it("names both places where it is older", () => {
    expect(say({ has: null, digest: null, boot: 2, sequence: 5 })).toBe(
      "the report is before any declaration, boot 2, report 5, 1.7, boot 3, report 10 is kept already",
    );
  });

  it("says that a copy of the host made it", () => {
    expect(say({ boot: 3, sequence: 10, at: "2026-01-01T00:00:07.000Z" })).toMatch(
      /boot 3, report 10 of another copy of it is kept/,
    );
  });

  it("names the host that is enrolled, or that none is", () => {
    expect(say({}, null, "host-new")).toBe("the report is of host host-node-a of node-a; host-new is enrolled");
    expect(say({}, null, null)).toMatch(/; no host is enrolled$/);
  });

  it("tells what was never sent from what was sent otherwise", () => {
    expect(say({}, null)).toBe("node-a has 1.7, which was never sent from these records");
    expect(say({}, "other")).toBe("node-a has 1.7, whose content is not what was sent");
  });
});

const anyPlace: fc.Arbitrary<ReportPlace> = fc.record({
  has: fc.option(fc.record({ epoch: fc.integer({ min: 1, max: 3 }), number: fc.integer({ min: 1, max: 3 }) })),
  boot: fc.integer({ min: 0, max: 2 }),
  sequence: fc.integer({ min: 1, max: 3 }),
});

describe("the order of reports", () => {
  it("is one line: antisymmetric and transitive", () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, anyPlace, (a, b, c) => {
        expect(Math.sign(compareReports(a, b))).toBe(-Math.sign(compareReports(b, a)) + 0);
        if (compareReports(a, b) <= 0 && compareReports(b, c) <= 0) expect(compareReports(a, c)).toBeLessThanOrEqual(0);
        if (compareReports(a, b) === 0) expect(a).toEqual(b);
      }),
    );
  });

  it("ends at the newest however they arrive, and what is kept only rises (I10)", () => {
    fc.assert(
      fc.property(fc.array(anyPlace, { minLength: 1, maxLength: 20 }), (places) => {
        let kept: Report | null = null;
        for (const place of places) {
          const digest = place.has === null ? null : digestNamed(`${place.has.epoch}.${place.has.number}`);
          const report = buildReport({ ...place, digest });
          const before: Report | null = kept;
          const outcome = keepReport({ account: before, report, incarnation, sentDigest: digest });
          if (outcome.kind !== "kept") continue;
          if (before !== null) expect(compareReports(report, before)).toBeGreaterThan(0);
          kept = report;
        }
        for (const place of places) expect(compareReports(place, kept ?? place)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
