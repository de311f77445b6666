import { describe, expect, it } from "vitest";
import type { Refusal, Report, ResourceReport } from "../../../src/core/report.ts";
import { fitReport } from "../../../src/host/cycle/fit-report.ts";
import { traceOf } from "../../../src/host/cycle/report-outcome.ts";
import { endedUnseen, endsAgain, sayExit, sayNoStart } from "../../../src/host/supervisor/ending-words.ts";
import { makeReport } from "../../link/support/fixtures.ts";

const web: ResourceReport = { id: "service/web/main", state: "failed", message: "pid 4711 ended" };
const grant: ResourceReport = { id: "grant/db/postgresql", state: "applied", message: "" };
const refusal: Refusal = {
  check: "older",
  message: "it is 1.6",
  offered: { epoch: 1, number: 6 },
  count: 1,
  at: "2026-03-01T12:00:00.000Z",
};
const made = makeReport({ outcome: "failed", resources: [web, grant], refusals: [refusal] });
const provisions = [{ provision: "one", version: 1 }];

describe("what makes a report news (R38, R44)", () => {
  it.each<[string, Partial<Report>]>([
    ["another order", { has: { epoch: 3, number: 8 } }],
    ["another content", { digest: `sha256:${"1".repeat(64)}` }],
    ["another outcome", { outcome: "half" }],
    ["another state", { resources: [{ ...web, state: "un-ready" }, grant] }],
    ["a drift", { resources: [{ ...web, drift: { wanted: "a", found: "b" } }, grant] }],
    ["another provision", { resources: [web, { ...grant, provisions }] }],
    ["another resource", { resources: [{ ...web, id: "service/web/other" }, grant] }],
    ["a resource less", { resources: [web] }],
    ["another check that refused", { refusals: [{ ...refusal, check: "jump" }] }],
    ["another order that was refused", { refusals: [{ ...refusal, offered: { epoch: 1, number: 5 } }] }],
    ["that it knows what is kept", { behind: { has: null, boot: 1, sequence: 1 } }],
  ])("is %s", (_what, parts) => {
    expect(traceOf({ ...made, ...parts })).not.toBe(traceOf(made));
  });

  it("is that a service on its way has ended, and not each ending (R43, R32)", () => {
    const waits = (message: string) => traceOf({ ...made, resources: [{ ...web, state: "waiting", message }, grant] });
    const [first, ...others] = ["exit code 1: port taken", "exit code 2: none", "signal SIGKILL: no line says why"].map(
      waits,
    );
    expect(first).not.toBe(waits("not healthy yet: http://127.0.0.1:1/ answers 503"));
    expect(new Set(others)).toEqual(new Set([first]));
    for (const how of [sayExit(1, null), sayExit(null, "SIGKILL"), sayNoStart(new Error("ENOENT")), endedUnseen])
      expect(waits(how)).toBe(first);
    const again = waits(`exit code 1: port taken; ${endsAgain}`);
    expect(again).not.toBe(first);
    expect(waits(`exit code 9: none; ${endsAgain}`)).toBe(again);
  });

  it("is not other words, another count, or another moment", () => {
    const later = "2026-03-01T13:00:00.000Z";
    const again: Report = {
      ...made,
      sequence: 99,
      at: later,
      resources: [{ ...web, message: "pid 4712 ended" }, grant],
      refusals: [{ ...refusal, count: 7, message: "it is still 1.6", at: later }],
    };
    expect(traceOf(again)).toBe(traceOf(made));
  });
});

describe("a report that would be too long", () => {
  const long = { wanted: "w".repeat(400), found: "f".repeat(400) };
  const rows = (count: number, message: string): ResourceReport[] =>
    Array.from({ length: count }, (_, at) => ({ ...web, id: `file/web/a${at}`, message, drift: long }));

  it("keeps its words where they fit", () => {
    const few = rows(10, "x".repeat(2000));
    expect(fitReport(few)).toEqual(few);
  });

  it("says all of it in shorter words, no shorter than they have to be", () => {
    const fitting = fitReport(rows(5000, "x".repeat(2000)));
    expect(fitting).toHaveLength(5000);
    expect(fitting[0]).toMatchObject({ id: "file/web/a0", state: "failed", message: `${"x".repeat(199)}…` });
    expect(fitting[0]?.drift).toEqual({ wanted: `${"w".repeat(199)}…`, found: `${"f".repeat(199)}…` });
  });

  it("is shortened again where that is not enough", () => {
    expect(fitReport(rows(12_000, "x".repeat(2000)))[0]?.message).toBe(`${"x".repeat(59)}…`);
    const plain = Array.from({ length: 60_000 }, (_, at) => ({
      ...web,
      id: `file/web/a${at}`,
      message: "x".repeat(99),
    }));
    expect(fitReport(plain)[0]).toEqual({ ...web, id: "file/web/a0", message: `${"x".repeat(19)}…` });
  });
});
