import { describe, expect, it } from "vitest";
import type { Report } from "../../src/core/report.ts";
import { situationOf } from "../../src/decide/situation.ts";
import { buildReport, minutesLater, resourceRow } from "./support/build-report.ts";
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
