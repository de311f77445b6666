import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeReversion } from "../../src/decide/judge-reversion.ts";
import { compareReports } from "../../src/decide/order-reports.ts";
import { buildReport } from "./support/build-report.ts";

const [early, later] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:10:00.000Z"];
const kept = buildReport({ has: { epoch: 1, number: 5 }, boot: 6, bootId: "six", sequence: 3, at: early });
const { has, boot, sequence } = kept;
const told = { behind: { has, boot, sequence } };
const before = { has: { epoch: 1, number: 4 } };

describe("a report that is older than the one that is kept (R31, R38)", () => {
  it.each([
    ["is late where its host was not told what is kept", before, null],
    ["is so also where a clock says that it was made later", { ...before, at: later }, null],
    ["is so also from an earlier start, by a clock that was set back since", { boot: 4, bootId: "4", at: later }, null],
    ["is of a host that went back where it was told what is kept", { ...before, ...told }, "1.4"],
    ["is so by whatever clock", { ...before, ...told, at: "2025-01-01T00:00:00.000Z" }, "1.4"],
    ["is so also before any declaration", { has: null, ...told }, "nothing"],
    ["is so where it has the same again from an earlier start", { boot: 4, bootId: "four", ...told }, "1.5"],
    ["is so of the same start, as of a machine that was resumed", { sequence: 2, ...told }, "1.5"],
    [
      "is late where what it was told is older than what is kept",
      { ...before, behind: { ...before, boot, sequence } },
      null,
    ],
    ["is so where two starts have one number", { bootId: "other", sequence: 1 }, "1.5"],
    ["is so where the copy has the very same place", { bootId: "other" }, "1.5"],
    ["is so where a copy that was resumed has the same start too", { at: later }, "1.5"],
    ["is nothing where it comes twice", {}, null],
    [
      "is late where that start could not write its number down",
      { bootId: "other", sequence: 1, unwritten: true as const },
      null,
    ],
  ])("%s", (_what, more, to) => {
    const judged = judgeReversion({ ...kept, ...more }, kept);
    expect(judged && (judged.to === null ? "nothing" : `${judged.to.epoch}.${judged.to.number}`)).toBe(to);
  });

  it("is late where the kept one is of a start that could not write its number down", () => {
    expect(judgeReversion({ ...kept, bootId: "other", sequence: 1 }, { ...kept, unwritten: true })).toBeNull();
  });

  it("says where it went back to, where it was, and what that can be", () => {
    const judged = judgeReversion({ ...kept, ...before, boot: 2, ...told }, kept);
    expect(judged?.why).toMatch(/told that 1\.5 \(start 6, report 3\) is kept, and reports 1\.4 \(start 2, report 3\)/);
  });

  it("is never said of one that is newer, and depends on no clock", () => {
    const place = fc.record({
      has: fc.constantFrom(null, { epoch: 1, number: 4 }, { epoch: 2, number: 1 }),
      boot: fc.integer({ min: 0, max: 3 }),
      bootId: fc.constantFrom("a", "b"),
      sequence: fc.integer({ min: 1, max: 3 }),
      at: fc.constantFrom(early, later),
      behind: fc.constantFrom(undefined, { has: { epoch: 2, number: 1 }, boot: 1, sequence: 1 }),
    });
    fc.assert(
      fc.property(place, place, fc.constantFrom(early, later), (a, b, at) => {
        const judged = judgeReversion({ ...kept, ...a }, { ...kept, ...b });
        if (compareReports(a, b) > 0) expect(judged).toBeNull();
        // Two reports in one place are the same one, or were made at two moments; which was earlier changes nothing.
        const isOnePlace = compareReports(a, b) === 0;
        const [one, other] = isOnePlace ? [b.at, a.at] : [at, b.at];
        expect(judgeReversion({ ...kept, ...a, at: one }, { ...kept, ...b, at: other })).toEqual(judged);
      }),
    );
  });
});
