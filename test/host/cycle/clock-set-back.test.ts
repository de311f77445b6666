import { describe, expect, it } from "vitest";
import type { Report, ResourceReport } from "../../../src/core/report.ts";
import type { Resource } from "../../../src/core/resource.ts";
import { createApplyLoop } from "../../../src/host/cycle/apply-loop.ts";
import type { Accepted } from "../../../src/host/cycle/check-envelope.ts";
import { createPatience } from "../../../src/host/cycle/patience.ts";
import { sayRecentDrifts } from "../../../src/host/cycle/recent-drifts.ts";
import { createReporter } from "../../../src/host/cycle/reporter.ts";
import { recentEndings } from "../../../src/host/supervisor/restart-delay.ts";
import { makeDeclaration } from "../../link/support/fixtures.ts";
import { createModelClock } from "../support/model-clock.ts";

const never = (): void => undefined;
const log = { info: never, warn: never, error: never };
const hourMs = 3_600_000;
const intervalMs = 30_000;
const applied: ResourceReport = { id: "file/web/a", state: "applied", message: "there" };

/** A machine whose clock was an hour ahead, and was put right. */
describe("a clock that is set back by an hour", () => {
  it("keeps nothing from being looked at on the interval (R44)", async () => {
    const { clock, waits, stop, pass } = createModelClock(6);
    const resource: Resource = {
      id: "file/web/a",
      module: "web",
      after: [],
      kind: "file",
      path: "etc/web/a",
      mode: "644",
      owner: "host",
      content: { from: "text", text: "a" },
    };
    const accepted: Accepted = { declaration: makeDeclaration(), ordered: [resource] };
    const full: boolean[] = [];
    const loop = createApplyLoop({
      inbox: { accepted, refusals: [], stateProblem: null },
      applied: null,
      intervalMs,
      log,
      clock: {
        ...clock,
        async wait(ms, signal) {
          await clock.wait(ms, signal);
          if (waits.length === 2) pass(-hourMs);
        },
      },
      report: never,
      async pass({ settled }) {
        full.push(settled.size === 0);
        return { reports: [applied] };
      },
    });
    await loop.run(stop.signal);
    expect(Math.max(...waits)).toBeLessThanOrEqual(intervalMs);
    expect(full).toEqual([true, true, true, true, true, true]);
  });

  it("keeps no host silent: it reports within a minute (R31)", () => {
    const { clock, pass } = createModelClock(1);
    const put: Report[] = [];
    const { report } = createReporter({
      identity: { mesh: "demo", node: "node-a", incarnation: "0123456789abcdef" },
      boot: { boot: 1, bootId: "boot", firstSequence: 1, problem: null },
      intervalMs: 30_000,
      inbox: { accepted: null, refusals: [], stateProblem: null },
      nowMs: clock.nowMs,
      lastWordMs: () => null,
      put: (each) => put.push(each),
    });
    report({ outcome: "applied", resources: [applied] }, null, "interval");
    pass(-hourMs);
    for (let minute = 0; minute < 3; minute += 1) {
      pass(60_000);
      report({ outcome: "applied", resources: [applied] }, null, "interval");
    }
    expect(put).toHaveLength(4);
  });

  it("ends no patience later than it was meant to", () => {
    const { clock, pass } = createModelClock(1);
    const patience = createPatience(clock.nowMs);
    expect(patience.waitedMs("web", "a")).toBe(0);
    pass(-hourMs);
    expect(patience.waitedMs("web", "a")).toBe(0);
    pass(31_000);
    expect(patience.waitedMs("web", "a")).toBe(31_000);
  });

  it("begins its patience anew with another reason, and when it was ended", () => {
    const { clock, pass } = createModelClock(1);
    const patience = createPatience(clock.nowMs);
    patience.waitedMs("web", "a");
    pass(10_000);
    expect(patience.waitedMs("web", "a")).toBe(10_000);
    expect(patience.waitedMs("api", "a")).toBe(0);
    expect(patience.waitedMs("web", "b")).toBe(0);
    pass(10_000);
    patience.end("web");
    expect([patience.waitedMs("web", "b"), patience.waitedMs("api", "a")]).toEqual([0, 10_000]);
  });

  it("says a drift that was mended for one interval more, and not for an hour", () => {
    const { clock, pass } = createModelClock(1);
    const drift = { wanted: "a", found: "b" };
    const first = sayRecentDrifts([{ ...applied, drift }], new Map(), clock.nowMs(), intervalMs);
    pass(-hourMs);
    const second = sayRecentDrifts([applied], first.recent, clock.nowMs(), intervalMs);
    expect(second.reports).toEqual([{ ...applied, drift }]);
    pass(intervalMs);
    expect(sayRecentDrifts([applied], second.recent, clock.nowMs(), intervalMs).reports).toEqual([applied]);
  });

  it("counts no ending that is still to come", () => {
    const { clock, pass } = createModelClock(1);
    const endings = [clock.nowMs()];
    pass(-hourMs);
    expect(recentEndings(endings, clock.nowMs())).toEqual([]);
  });
});
