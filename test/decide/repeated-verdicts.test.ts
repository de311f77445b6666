import { describe, expect, it } from "vitest";
import { outstandingClassSchema } from "../../src/core/artifact.ts";
import { judgeRepeats, type JudgedBuild, whenDayIsOver } from "../../src/decide/repeated-verdicts.ts";
import { retryInMs } from "../../src/decide/retry-builds.ts";

const now = "2026-01-02T12:00:00.000Z";

function build(more: Partial<JudgedBuild>): JudgedBuild {
  return {
    state: "outstanding",
    class: "registry",
    classCount: 1,
    classSince: "2026-01-02T11:00:00.000Z",
    commit: "a".repeat(40),
    message: "it answers 503",
    endedAt: "2026-01-02T11:00:00.000Z",
    ...more,
  };
}

const unfit = build({ state: "unfit", class: null, classCount: 0, classSince: null, message: "1 test fails" });
const fit = build({ state: "fit", class: null, classCount: 0, classSince: null, message: "" });

describe("a build that nobody could judge (R33)", () => {
  it("is a condition at the third failure of one class, with its beginning, its count and what to do", () => {
    expect(judgeRepeats("core", [build({ classCount: 2 })], now)).toBeNull();
    expect(judgeRepeats("core", [build({ classCount: 3 })], now)).toMatchObject({
      code: "build-outstanding",
      subject: "core",
      count: 3,
      since: "2026-01-02T11:00:00.000Z",
      message: expect.stringMatching(/3 times in a row, each time for the same reason \(registry\): it answers 503/),
      remedy: expect.stringMatching(/registry answers.*tried again by itself/),
    });
  });

  it("is counted over commits, and while the next try runs, but not over another class or a verdict between", () => {
    const before = build({ classCount: 2, classSince: "2026-01-02T09:00:00.000Z" });
    const trying = build({ state: "building" });
    expect(judgeRepeats("core", [trying, build({}), before], now)).toMatchObject({
      count: 3,
      since: "2026-01-02T09:00:00.000Z",
    });
    expect(judgeRepeats("core", [build({}), build({ class: "disk", classCount: 9 }), before], now)).toBeNull();
    expect(judgeRepeats("core", [build({}), fit, before], now)).toBeNull();
  });

  it.each(outstandingClassSchema.options)("of class %s says what to do", (kind) => {
    const repeated = judgeRepeats("core", [build({ class: kind, classCount: 5 })], now);
    expect(repeated?.remedy.length).toBeGreaterThan(40);
    expect(repeated?.remedy.length).toBeLessThanOrEqual(500);
  });
});

describe("a source that stays unfit (R33)", () => {
  it("is a condition at the third source in a row, or after a day", () => {
    expect(judgeRepeats("core", [unfit, unfit], now)).toBeNull();
    expect(judgeRepeats("core", [unfit, unfit, unfit], now)).toMatchObject({ code: "build-unfit", count: 3 });
    expect(judgeRepeats("core", [{ ...unfit, endedAt: "2026-01-01T11:00:00.000Z" }], now)).toMatchObject({
      code: "build-unfit",
      count: 1,
      message: expect.stringMatching(/unfit for a day or more, now at aaaaaaa: 1 test fails/),
    });
  });

  it("is one at the very end of a day, and not before, since the first of them", () => {
    const newer = { ...unfit, endedAt: "2026-01-02T09:00:00.000Z" };
    const [short, day] = ["2026-01-01T12:00:00.001Z", "2026-01-01T12:00:00.000Z"];
    expect(judgeRepeats("core", [newer, { ...unfit, endedAt: short }], now)).toBeNull();
    expect(judgeRepeats("core", [newer, { ...unfit, endedAt: day }], now)).toEqual({
      code: "build-unfit",
      subject: "core",
      message: expect.stringContaining("core is unfit for a day or more, now at aaaaaaa"),
      remedy: expect.stringContaining("mesh why core"),
      urgent: false,
      since: day,
      count: 2,
    });
  });

  it("is judged otherwise when its day is over, where nothing is built meanwhile", () => {
    const newer = { ...unfit, endedAt: "2026-01-02T09:00:00.000Z" };
    const first = { ...unfit, endedAt: "2026-01-01T12:00:00.001Z" };
    expect(whenDayIsOver([build({ state: "building" }), newer, first])).toBe(Date.parse("2026-01-02T12:00:00.001Z"));
    expect(whenDayIsOver([newer, first, fit])).toBe(Date.parse("2026-01-02T12:00:00.001Z"));
    expect(whenDayIsOver([newer, first, first])).toBeNull();
    expect(whenDayIsOver([build({}), first])).toBeNull();
    expect(whenDayIsOver([])).toBeNull();
  });

  it("says after three how many sources, however long ago the first was", () => {
    const long = { ...unfit, endedAt: "2025-12-01T00:00:00.000Z" };
    expect(judgeRepeats("core", [unfit, unfit, long], now)?.message).toContain("unfit at 3 sources in a row");
  });

  it("is none where nobody knows when it ended", () => {
    const unknown = { ...unfit, endedAt: null };
    expect(judgeRepeats("core", [unfit, unfit, unknown], now)).toBeNull();
  });

  it("is none after a fit one, nor with nothing judged", () => {
    expect(judgeRepeats("core", [unfit, unfit, fit, unfit], now)).toBeNull();
    expect(judgeRepeats("core", [fit, unfit, unfit, unfit], now)).toBeNull();
    expect(judgeRepeats("core", [build({ state: "building" })], now)).toBeNull();
    expect(judgeRepeats("core", [], now)).toBeNull();
  });
});

describe("the pause before the next try", () => {
  it("doubles from 5 s to 10 minutes, with up to half of it by chance", () => {
    expect([1, 2, 3, 4].map((attempt) => retryInMs(attempt, 0))).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect([8, 20, 1_000_000].map((attempt) => retryInMs(attempt, 0))).toEqual([600_000, 600_000, 600_000]);
    expect(retryInMs(1, 0.999)).toBe(7_498);
    expect(retryInMs(0, 0)).toBe(5_000);
  });
});
