import { describe, expect, it } from "vitest";
import { reportSchema, type Report, type ResourceReport } from "../../../src/core/report.ts";
import { createReporter } from "../../../src/host/cycle/reporter.ts";
import { outcomeOf } from "../../../src/host/cycle/report-outcome.ts";
import { generateSigningKey } from "../../../src/link/keys.ts";
import { sealReport } from "../../../src/link/report-envelope.ts";

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

describe("a report of a node where everything fails", () => {
  it.each([
    ["5,000 resources with all that they may say, and as many that could not be removed", "x".repeat(1900), 10_000],
    ["words that take more in JSON and in UTF-8", '"\u0001€'.repeat(500), 5001],
  ])("is taken by the gateway: %s", (_what, message, count) => {
    const put: Report[] = [];
    const report = createReporter({
      identity: { mesh: "demo", node: "node-a", incarnation: "0123456789abcdef" },
      boot: { boot: 3, bootId: "boot", firstSequence: 1, problem: null },
      inbox: { accepted: null, refusals: [], stateProblem: null },
      nowMs: () => 0,
      lastWordMs: () => null,
      put: (each) => put.push(each),
    });
    const drift = { wanted: message.slice(0, 490), found: message.slice(0, 490) };
    const resources = Array.from({ length: count }, (_, at) =>
      resource("failed", { id: `file/web/a${at}`, message, drift }),
    );
    report(
      { outcome: "failed", resources: [...resources, { ...resource("failed"), id: "host/state" }] },
      null,
      "change",
    );
    const [sent] = put;
    expect(reportSchema.safeParse(sent).success).toBe(true);
    expect(sent?.resources).toHaveLength(count + 1);
    if (sent !== undefined) expect(() => sealReport(sent, generateSigningKey())).not.toThrow();
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
