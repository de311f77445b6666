import { describe, expect, it } from "vitest";
import type { Report, ResourceReport } from "../../../src/core/report.ts";
import { createReporter } from "../../../src/host/cycle/reporter.ts";
import { outcomeOf } from "../../../src/host/cycle/report-outcome.ts";

function resource(state: ResourceReport["state"], changes: Partial<ResourceReport> = {}): ResourceReport {
  return { id: "file/web/a", state, message: "pid 4711", ...changes };
}

describe("outcome of a report", () => {
  it.each([
    [[], "applied"],
    [["applied"], "applied"],
    [["applied", "un-ready"], "un-ready"],
    [["un-ready", "failed"], "failed"],
    [["failed", "waiting"], "half"],
  ] as const)("%j is %s", (states, outcome) => {
    expect(outcomeOf(states.map((state) => resource(state)))).toBe(outcome);
  });
});

describe("when a report is sent", () => {
  function raise() {
    const put: Report[] = [];
    const clock = { nowMs: Date.parse("2026-03-01T12:00:00.000Z") };
    const report = createReporter({
      identity: { mesh: "demo", node: "node-a", incarnation: "0123456789abcdef" },
      boot: { boot: 3, bootId: "boot", firstSequence: 1, problem: null },
      inbox: { accepted: null, refusals: [], stateProblem: null },
      nowMs: () => clock.nowMs,
      lastWordMs: () => null,
      put: (each) => put.push(each),
    });
    return { put, clock, report };
  }

  it("at once when it says something new, and not again", () => {
    const { put, report } = raise();
    report({ outcome: "applied", resources: [resource("applied")] }, null, "change");
    report({ outcome: "applied", resources: [resource("applied", { message: "pid 4712" })] }, null, "change");
    report({ outcome: "applied", resources: [resource("applied", { message: "pid 4713" })] }, null, "interval");
    report({ outcome: "failed", resources: [resource("failed")] }, null, "change");
    expect(put.map(({ outcome, sequence }) => [outcome, sequence])).toEqual([
      ["applied", 1],
      ["failed", 2],
    ]);
  });

  it("at each interval while something fails: three of them make it stuck (R32)", () => {
    const { put, report } = raise();
    for (let pass = 0; pass < 3; pass += 1) {
      report({ outcome: "failed", resources: [resource("failed")] }, null, "interval");
      report({ outcome: "failed", resources: [resource("failed")] }, null, "change");
    }
    expect(put).toHaveLength(3);
  });

  it("after a minute without news (R31)", () => {
    const { put, clock, report } = raise();
    for (const afterMs of [0, 30_000, 59_000, 60_000]) {
      clock.nowMs = Date.parse("2026-03-01T12:00:00.000Z") + afterMs;
      report({ outcome: "applied", resources: [] }, null, "interval");
    }
    expect(put).toHaveLength(2);
  });
});
