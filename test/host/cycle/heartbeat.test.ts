import { describe, expect, it } from "vitest";
import { reportSchema, type Report, type ResourceReport } from "../../../src/core/report.ts";
import { createApplyLoop } from "../../../src/host/cycle/apply-loop.ts";
import type { Accepted } from "../../../src/host/cycle/check-envelope.ts";
import { createReporter } from "../../../src/host/cycle/reporter.ts";
import { makeDeclaration } from "../../link/support/fixtures.ts";
import { createModelClock } from "../support/model-clock.ts";

const never = (): void => undefined;
const applied: ResourceReport = { id: "file/web/a", state: "applied", message: "there" };
const failed: ResourceReport = { ...applied, state: "failed" };

function raise(intervalMs: number, nowMs: () => number) {
  const put: Report[] = [];
  const inbox = { accepted: null, refusals: [], stateProblem: null };
  const identity = { mesh: "demo", node: "node-a", incarnation: "0123456789abcdef" };
  const boot = { boot: 1, bootId: "boot", firstSequence: 1, problem: null };
  const lastWordMs = () => null;
  const reporter = createReporter({
    identity,
    boot,
    intervalMs,
    inbox,
    nowMs,
    lastWordMs,
    put: (one) => put.push(one),
  });
  return { put, ...reporter };
}

describe("a heartbeat (R31)", () => {
  it("comes though no pass ends, and says how old what was read back is (R43)", async () => {
    const hourMs = 3_600_000;
    const { clock, stop, pass } = createModelClock(10);
    const { put, report, beat } = raise(hourMs, clock.nowMs);
    const accepted: Accepted = { declaration: makeDeclaration(), ordered: [] };
    let passes = 0;
    const hangs = new Promise<void>((resolve) => {
      void createApplyLoop({
        inbox: { accepted, refusals: [], stateProblem: null },
        applied: null,
        intervalMs: hourMs,
        log: { info: never, warn: never, error: never },
        clock,
        report,
        pass() {
          passes += 1;
          if (passes === 1) return Promise.resolve({ reports: [applied] });
          resolve();
          // As on a disk that answers no more: what it asked for never ends, nor does it hear that it was aborted.
          return new Promise(never);
        },
      }).run(stop.signal);
    });
    await hangs;
    beat();
    beat();
    pass(59_000);
    beat();
    pass(1_000);
    beat();
    expect(
      put.map(({ outcome, sequence, repeats, readBack }) => [outcome, sequence, repeats, readBack?.agoMs]),
    ).toEqual([
      ["applied", 1, undefined, 0],
      ["applied", 2, 1, hourMs],
      ["applied", 3, 1, hourMs + 60_000],
    ]);
    for (const one of put) {
      expect(one).toMatchObject({ has: { epoch: 3, number: 7 }, readBack: { everyMs: hourMs } });
      expect(reportSchema.safeParse(one).success).toBe(true);
    }
  });

  it("is no look at what fails, and comes only where nothing else was said for a minute", () => {
    const { clock, pass } = createModelClock(1);
    const { put, report, beat } = raise(30_000, clock.nowMs);
    beat();
    const say = () => report({ outcome: "failed", resources: [failed], readAtMs: clock.nowMs() }, null, "interval");
    for (let passes = 0; passes < 3; passes += 1) {
      say();
      pass(30_000);
      beat();
    }
    pass(30_000);
    beat();
    expect(put.map(({ sequence, repeats }) => [sequence, repeats])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
      [4, 3],
    ]);
  });

  it("says that nothing was read back where the host has not got through it since it started", () => {
    const { clock } = createModelClock(1);
    const { put, report } = raise(30_000, clock.nowMs);
    report({ outcome: "half", resources: [] }, null, "change");
    expect(put).toMatchObject([{ readBack: { agoMs: null, everyMs: 30_000 } }]);
  });
});
