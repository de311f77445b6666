import { describe, expect, it } from "vitest";
import { reportSchema, type Report, type ResourceReport } from "../../../src/core/report.ts";
import type { TightDisk } from "../../../src/core/tight-disk.ts";
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
    const { report } = createReporter({
      identity: { mesh: "demo", node: "node-a", incarnation: "0123456789abcdef" },
      boot: { boot: 3, bootId: "boot", firstSequence: 1, problem: null },
      intervalMs: 30_000,
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
  function raise(problem: unknown = null) {
    const put: Report[] = [];
    const clock = { nowMs: Date.parse("2026-03-01T12:00:00.000Z") };
    const disks: { tight: readonly TightDisk[]; unread: Report["unread"] | null } = { tight: [], unread: null };
    const reporter = createReporter({
      identity: { mesh: "demo", node: "node-a", incarnation: "0123456789abcdef" },
      boot: { boot: 3, bootId: "boot", firstSequence: 1, problem },
      intervalMs: 30_000,
      inbox: { accepted: null, refusals: [], stateProblem: null },
      nowMs: () => clock.nowMs,
      lastWordMs: () => null,
      tightDisks: () => disks.tight,
      unread: () => disks.unread,
      put: (each) => put.push(each),
    });
    return { put, clock, disks, ...reporter };
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

  it("at once when a disk has little room, and again when it has none or enough; not for each byte (R33)", () => {
    const { put, report, disks } = raise();
    const say = () => report({ outcome: "applied", resources: [] }, null, "change");
    const disk: TightDisk = {
      folders: ["/host/state"],
      room: "little",
      freeBytes: 20_000_000,
      totalBytes: 9e9,
      freeNames: 0,
      totalNames: 0,
    };
    say();
    disks.tight = [disk];
    say();
    disks.tight = [{ ...disk, freeBytes: 19_000_000 }];
    say();
    disks.tight = [{ ...disk, room: "none" }];
    say();
    disks.tight = [];
    say();
    expect(put.map((each) => each.disks?.map(({ room }) => room))).toEqual([
      undefined,
      ["little"],
      ["none"],
      undefined,
    ]);
    for (const each of put) expect(reportSchema.safeParse(each).success).toBe(true);
  });

  it("with what its controller could not read, which is no news by itself: it may be refused for the same reason", () => {
    const { put, report, disks } = raise();
    const say = (outcome: "applied" | "failed") => report({ outcome, resources: [] }, null, "change");
    say("applied");
    disks.unread = { count: 1, why: "schema" };
    say("applied");
    say("failed");
    expect(put.map(({ outcome, unread }) => [outcome, unread?.count])).toEqual([
      ["applied", undefined],
      ["failed", 1],
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

  it("at once when the controller keeps a later one of this host, which is then said (R38)", () => {
    const { put, report, hearBehind } = raise();
    const say = () => report({ outcome: "applied", resources: [] }, null, "change");
    say();
    const kept = { has: { epoch: 1, number: 5 }, boot: 6, sequence: 3 };
    hearBehind(kept);
    say();
    say();
    expect(put.map(({ sequence, behind, unwritten }) => ({ sequence, behind, unwritten }))).toEqual([
      { sequence: 1, behind: undefined, unwritten: undefined },
      { sequence: 2, behind: kept, unwritten: undefined },
    ]);
  });

  it("above what is kept where the start could not be written down, whatever the clock was then (R38)", () => {
    const { put, report, hearBehind } = raise(new Error("no space"));
    const say = () => report({ outcome: "applied", resources: [] }, null, "change");
    say();
    hearBehind({ has: null, boot: 3, sequence: 1_900_000_000 });
    say();
    hearBehind({ has: null, boot: 4, sequence: 2_900_000_000 });
    say();
    expect(put.map(({ sequence, unwritten }) => [sequence, unwritten])).toEqual([
      [1, true],
      [1_900_000_001, true],
      [1_900_000_002, true],
    ]);
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
