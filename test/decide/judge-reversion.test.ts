import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeReversion } from "../../src/decide/judge-reversion.ts";
import { compareReports } from "../../src/decide/order-reports.ts";
import { buildReport } from "./support/build-report.ts";

const [early, later] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:10:00.000Z"];
const kept = buildReport({ has: { epoch: 1, number: 5 }, boot: 6, bootId: "six", sequence: 3, at: early });

describe("a report that is older than the one that is kept (R31, R38)", () => {
  it.each([
    ["is late where it was made before it", { has: { epoch: 1, number: 4 }, at: "2025-12-31T23:00:00.000Z" }, null],
    ["is of a host that went back where it was made later", { has: { epoch: 1, number: 4 }, at: later }, 4],
    ["is so also before any declaration", { has: null, at: later }, null],
    ["is so where it has the same again from an earlier start", { boot: 4, bootId: "four", at: later }, 5],
    ["is so where two starts have one number, whatever the clock says", { bootId: "other", sequence: 1 }, 5],
    ["is late where it is of the same start", { sequence: 2 }, null],
  ])("%s", (_what, more, to) => {
    const judged = judgeReversion({ ...kept, ...more }, kept);
    if (to === null && !("has" in more && more.has === null)) return expect(judged).toBeNull();
    return expect(judged?.to ?? null).toEqual(to === null ? null : { epoch: 1, number: to });
  });

  it("says where it went back to, where it was, and what that can be", () => {
    const judged = judgeReversion({ ...kept, has: { epoch: 1, number: 4 }, boot: 2, at: later }, kept);
    expect(judged?.why).toMatch(/it reported 1\.4 \(start 2, report 3\), and had been at 1\.5 \(start 6, report 3\)/);
  });

  it("is never said of one that is newer, or the same", () => {
    const place = fc.record({
      has: fc.constantFrom(null, { epoch: 1, number: 4 }, { epoch: 2, number: 1 }),
      boot: fc.integer({ min: 0, max: 3 }),
      bootId: fc.constantFrom("a", "b"),
      sequence: fc.integer({ min: 1, max: 3 }),
      at: fc.constantFrom(early, later),
    });
    fc.assert(
      fc.property(place, place, (a, b) => {
        const judged = judgeReversion({ ...kept, ...a }, { ...kept, ...b });
        if (compareReports(a, b) >= 0) expect(judged).toBeNull();
      }),
    );
  });
});
