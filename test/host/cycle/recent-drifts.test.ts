import { describe, expect, it } from "vitest";
import type { ResourceReport } from "../../../src/core/report.ts";
import { sayRecentDrifts } from "../../../src/host/cycle/recent-drifts.ts";

const id = "service/web/main";
const drift = { wanted: "running", found: "ended with signal SIGKILL" };
const interval = 1000;

function reportOf(state: ResourceReport["state"], more: Partial<ResourceReport> = {}): ResourceReport {
  return { id, state, message: "", ...more };
}

function say(report: ResourceReport, before: ReturnType<typeof sayRecentDrifts>["recent"], nowMs: number) {
  return sayRecentDrifts([report], before, nowMs, interval);
}

describe("a drift", () => {
  it("is said until an interval has passed since it was mended (R44)", () => {
    const found = say(reportOf("waiting", { drift }), new Map(), 0);
    const waiting = say(reportOf("waiting"), found.recent, 900);
    const mended = say(reportOf("applied"), waiting.recent, 5000);
    const after = say(reportOf("applied"), mended.recent, 5999);
    for (const each of [waiting, mended, after]) expect(each.reports[0]?.drift).toEqual(drift);
    const later = say(reportOf("applied"), after.recent, 6000);
    expect(later.reports[0]?.drift).toBeUndefined();
    expect(later.recent.size).toBe(0);
  });

  it("gives way to a newer one, and to what fails now", () => {
    const found = say(reportOf("applied", { drift }), new Map(), 0);
    const newer = { wanted: "running", found: "ended with exit code 1" };
    expect(say(reportOf("waiting", { drift: newer }), found.recent, 10).reports[0]?.drift).toEqual(newer);
    const failing = say(reportOf("failed"), found.recent, 10);
    expect(failing.reports[0]?.drift).toBeUndefined();
    expect(failing.recent.size).toBe(0);
  });

  it("gives way also to a service that is not ready, and is said beside a failure that was found with it", () => {
    const found = say(reportOf("applied", { drift }), new Map(), 0);
    expect(say(reportOf("un-ready"), found.recent, 10).reports[0]?.drift).toBeUndefined();
    const failed = say(reportOf("failed", { drift }), new Map(), 0);
    expect(failed.reports[0]?.drift).toEqual(drift);
    expect(say(reportOf("applied"), failed.recent, 10).reports[0]?.drift).toEqual(drift);
  });

  it("that comes again is said for a whole interval again", () => {
    const found = say(reportOf("applied", { drift }), new Map(), 0);
    const again = say(reportOf("applied", { drift }), found.recent, 900);
    expect(say(reportOf("applied"), again.recent, 1899).reports[0]?.drift).toEqual(drift);
    expect(say(reportOf("applied"), again.recent, 1900).reports[0]?.drift).toBeUndefined();
  });

  it("is nobody else's", () => {
    const found = say(reportOf("applied", { drift }), new Map(), 0);
    expect(say({ ...reportOf("applied"), id: "file/web/x" }, found.recent, 10).reports[0]?.drift).toBeUndefined();
  });
});
