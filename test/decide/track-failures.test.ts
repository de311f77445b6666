import { describe, expect, it } from "vitest";
import type { Report } from "../../src/core/report.ts";
import { isStuck, trackFailures, type FailureTrack } from "../../src/decide/track-failures.ts";
import { buildReport, failedReport, minutesLater, resourceRow } from "./support/build-report.ts";

const web = "service/web/main";
const file = "file/web/conf";

/** The track after these reports, one a minute. */
function trackOf(...reports: readonly Report[]): FailureTrack {
  let track: FailureTrack | null = null;
  for (const [minute, report] of reports.entries()) track = trackFailures(track, report, minutesLater(minute));
  if (track === null) throw new Error("no reports");
  return track;
}

describe("a failure that repeats is stuck (R32, case 29)", () => {
  it("after three reports with the same resources, whatever the words", () => {
    const two = [failedReport(1, { [web]: "pid 4711 exited" }), failedReport(2, { [web]: "pid 4712 exited" })];
    expect(isStuck(trackOf(...two))).toBe(false);
    const track = trackOf(...two, failedReport(3, { [web]: "pid 4713 exited" }));
    expect(track).toMatchObject({ failing: [web], failingCount: 3, failingSince: minutesLater(0) });
    expect(isStuck(track)).toBe(true);
  });

  it("starts again at one when another resource fails instead, or as well", () => {
    const two = [failedReport(1, { [web]: "" }), failedReport(2, { [web]: "" })];
    expect(trackOf(...two, failedReport(3, { [file]: "" }))).toMatchObject({
      failingCount: 1,
      failingSince: minutesLater(2),
    });
    expect(trackOf(...two, failedReport(3, { [web]: "", [file]: "" }))).toMatchObject({ failingCount: 1 });
  });

  it("ends with a clean apply", () => {
    const three = [1, 2, 3].map((sequence) => failedReport(sequence, { [web]: "" }));
    const track = trackOf(...three, buildReport({ sequence: 4 }));
    expect(track).toMatchObject({ failing: [], failingCount: 0, failingSince: null, noSuccessCount: 0 });
  });

  it("ends also with what another start of the same number says again: a disk that was put back (case 33)", () => {
    const three = [1, 2, 3].map((sequence) => failedReport(sequence, { [web]: "" }));
    expect(isStuck(trackOf(...three))).toBe(true);
    expect(isStuck(trackOf(...three, { ...buildReport({ sequence: 4 }), repeats: 2 }))).toBe(false);
  });

  it("is caught by five reports without success when failures alternate", () => {
    const reports = [1, 2, 3, 4, 5].map((sequence) =>
      failedReport(sequence, { [sequence % 2 === 0 ? web : file]: "" }),
    );
    expect(isStuck(trackOf(...reports.slice(0, 4)))).toBe(false);
    expect(trackOf(...reports)).toMatchObject({ failingCount: 1, noSuccessCount: 5, noSuccessSince: minutesLater(0) });
    expect(isStuck(trackOf(...reports))).toBe(true);
  });

  it("counts a report that arrives twice once", () => {
    const report = failedReport(1, { [web]: "" });
    expect(trackOf(report, report, report)).toMatchObject({ failingCount: 1, noSuccessCount: 1 });
  });

  it("does not count what a heartbeat says again, unless the report that said it first never came", () => {
    const heartbeat = { ...failedReport(2, { [web]: "" }), repeats: 1 };
    const again = { ...failedReport(3, { [web]: "" }), repeats: 1 };
    expect(trackOf(failedReport(1, { [web]: "" }), heartbeat, again)).toMatchObject({ sequence: 3, failingCount: 1 });
    const lost = { ...failedReport(4, { [web]: "" }), repeats: 3 };
    expect(trackOf(failedReport(1, { [web]: "" }), heartbeat, lost)).toMatchObject({ failingCount: 2 });
    // Another start of its host counts its own.
    const later = { ...failedReport(2, { [web]: "" }), boot: 2, repeats: 1 };
    expect(trackOf(failedReport(1, { [web]: "" }), later)).toMatchObject({ failingCount: 2 });
    const applied = trackOf(buildReport(), { ...buildReport({ sequence: 2 }), repeats: 1 });
    expect(applied).toMatchObject({ sequence: 2, appliedSince: minutesLater(0) });
  });

  it("starts again under a newer declaration: what was wrong with the old one is not its fault (case 31)", () => {
    const two = [failedReport(1, { [web]: "" }), failedReport(2, { [web]: "" })];
    const track = trackOf(...two, failedReport(3, { [web]: "" }, { epoch: 1, number: 8 }));
    expect(track).toMatchObject({ failingCount: 1, noSuccessCount: 1, has: { epoch: 1, number: 8 } });
  });

  it.each<Report["outcome"]>(["none", "half", "un-ready"])(
    "neither counts nor clears by a report that is %s",
    (outcome) => {
      const between = buildReport({ sequence: 2, outcome, resources: [resourceRow(web, "waiting")] });
      const track = trackOf(failedReport(1, { [web]: "" }), between, failedReport(3, { [web]: "" }));
      expect(track).toMatchObject({ failingCount: 2, noSuccessCount: 2 });
    },
  );

  it("counts what fails beside something that waits, though its host says half", () => {
    const beside = (sequence: number) =>
      buildReport({ sequence, outcome: "half", resources: [resourceRow(file, "failed"), resourceRow(web, "waiting")] });
    const track = trackOf(beside(1), beside(2), beside(3));
    expect(track).toMatchObject({
      failing: [file],
      failingCount: 3,
      failingSince: minutesLater(0),
      appliedSince: null,
    });
    expect(isStuck(track)).toBe(true);
  });

  it("counts a pass once, though it is reported half while it goes on", () => {
    const underWay = buildReport({ sequence: 1, outcome: "half", resources: [resourceRow(file, "failed")] });
    const track = trackOf(underWay, failedReport(2, { [file]: "" }));
    expect(track).toMatchObject({ failingCount: 1, noSuccessCount: 1, failingSince: minutesLater(1) });
  });

  it("counts a failed report that names no resource", () => {
    const reports = [1, 2, 3].map((sequence) => failedReport(sequence, {}));
    expect(isStuck(trackOf(...reports))).toBe(true);
    expect(trackOf(...reports)).toMatchObject({ failingCount: 3, failingSince: minutesLater(0) });
  });

  it("is said before any declaration too, and starts again under the first", () => {
    const none = [1, 2, 3].map((sequence) => ({ ...failedReport(sequence, { [web]: "" }), has: null, digest: null }));
    expect(isStuck(trackOf(...none))).toBe(true);
    const first = failedReport(4, { [web]: "" });
    expect(trackOf(...none, first)).toMatchObject({ failingCount: 1, has: first.has });
  });

  it("counts the first report of a new start, which has the number that the one before it had", () => {
    const again = { ...failedReport(1, { [web]: "" }), boot: 2 };
    expect(trackOf(failedReport(1, { [web]: "" }), again)).toMatchObject({ failingCount: 2, boot: 2 });
  });
});

describe("since when a declaration is applied (R31)", () => {
  it("is the first of the reports that say so on end", () => {
    const three = [1, 2, 3].map((sequence) => buildReport({ sequence }));
    expect(trackOf(...three)).toMatchObject({ appliedSince: minutesLater(0), sequence: 3 });
  });

  it.each<Report["outcome"]>(["half", "un-ready", "failed"])("begins anew after a report that is %s", (outcome) => {
    const between = buildReport({ sequence: 2, outcome });
    expect(trackOf(buildReport({ sequence: 1 }), between)).toMatchObject({ appliedSince: null, sequence: 2 });
    const track = trackOf(buildReport({ sequence: 1 }), between, buildReport({ sequence: 3 }));
    expect(track.appliedSince).toBe(minutesLater(2));
  });
});
