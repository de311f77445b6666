import { describe, expect, it } from "vitest";
import type { Report } from "../../src/core/report.ts";
import { situationOf } from "../../src/decide/situation.ts";
import { buildReport, failedReport, minutesLater, resourceRow } from "./support/build-report.ts";
import { accountOf, buildFacts } from "./support/build-situation.ts";

const web = "service/app/main";
const file = "file/app/conf";
const after = (...reports: readonly Report[]) => situationOf(buildFacts({ account: accountOf(...reports) }));
const half = (sequence: number) =>
  buildReport({
    sequence,
    outcome: "half",
    resources: [resourceRow(file, "failed", "no space"), resourceRow(web, "waiting", "its artifact")],
  });

describe("what failed while something else is still on its way, so that its host says half (R31, R32)", () => {
  it("is failed, and not outstanding", () => {
    const situation = after(half(1));
    expect(situation.all.map(({ word }) => word)).toEqual(["failed"]);
    expect(situation).toMatchObject({ since: minutesLater(0), why: `${file}: no space` });
  });

  it("is stuck after three reports", () => {
    const situation = after(half(1), half(2), half(3));
    expect(situation.all.map(({ word }) => word)).toEqual(["stuck", "failed"]);
    expect(situation).toMatchObject({ since: minutesLater(0), why: `${file} failed 3 times in a row` });
  });

  it("is failed while the pass that failed it goes on", () => {
    const underWay = buildReport({ outcome: "half", resources: [resourceRow(file, "failed", "no space")] });
    expect(after(underWay)).toMatchObject({ word: "failed", since: minutesLater(0) });
  });
});

describe("what was stuck, and the last report read back as wanted (R32)", () => {
  const thrice = [1, 2, 3].map((sequence) => failedReport(sequence, { [file]: "no space" }));
  const mended = resourceRow(file, "applied");
  const words = (...reports: readonly Report[]) => after(...thrice, ...reports).all.map(({ word }) => word);

  it.each<[string, Report, readonly string[]]>([
    [
      "is not named while another service is un-ready",
      buildReport({ sequence: 4, outcome: "un-ready", resources: [mended, resourceRow(web, "un-ready")] }),
      ["un-ready"],
    ],
    [
      "is not named while another waits",
      buildReport({ sequence: 4, outcome: "half", resources: [mended, resourceRow(web, "waiting")] }),
      ["outstanding"],
    ],
    [
      "is stuck where it is not as wanted yet",
      buildReport({ sequence: 4, outcome: "half", resources: [resourceRow(file, "waiting")] }),
      ["stuck"],
    ],
    [
      "is stuck where the report says nothing of any resource, as after a restart of its host",
      buildReport({ boot: 2, sequence: 4, outcome: "half" }),
      ["stuck"],
    ],
  ])("%s", (_what, report, expected) => {
    expect(words(report)).toEqual(expected);
  });

  it("is stuck where one of two is mended", () => {
    const both = [1, 2, 3].map((sequence) => failedReport(sequence, { [file]: "", "file/app/other": "" }));
    const report = buildReport({ sequence: 4, outcome: "un-ready", resources: [mended, resourceRow(web, "un-ready")] });
    expect(after(...both, report).all.map(({ word }) => word)).toEqual(["stuck", "un-ready"]);
  });

  it("is stuck where failures name no resource", () => {
    const nameless = [1, 2, 3].map((sequence) => failedReport(sequence, {}));
    expect(after(...nameless).word).toBe("stuck");
  });
});
