import { describe, expect, it } from "vitest";
import { findStale } from "../../src/decide/find-stale.ts";
import { isBehind, situationOf } from "../../src/decide/situation.ts";
import type { AccountFacts } from "../../src/decide/situation-facts.ts";
import { buildReport, failedReport, minutesLater } from "./support/build-report.ts";
import { accountOf, buildFacts } from "./support/build-situation.ts";

const silentAfterMs = 120_000;
const read = { agoMs: 0, everyMs: 30_000 };

/** A host that is heard a minute before, at minute ten; its account is of this minute. */
function situate(minute: number, parts: Partial<AccountFacts> = {}, account = accountOf(buildReport())) {
  const at = minutesLater(minute);
  return situationOf(buildFacts({ account: { ...account, receivedAt: at, readBack: read, readBackAt: at, ...parts } }));
}

describe("a host that is heard, and does not say how it stands (R31, case 30, case 33)", () => {
  it("is current while a heartbeat is no later than a host may be silent, and known since then", () => {
    const situation = situate(7);
    expect(situation).toMatchObject({ word: "current", knownAt: minutesLater(7) });
  });

  it("cannot be told where none of its reports is kept any more", () => {
    const situation = situate(6.9);
    expect(situation).toMatchObject({ word: "cannot-tell", since: minutesLater(6.9) });
    expect(situation.why).toBe("its host is heard, and no report of it was kept for 3 min: see the log of the host");
    expect(isBehind(situation)).toBe(false);
  });

  it("cannot be told where its last report is of a time to come, of a clock that was ahead", () => {
    expect(situate(500)).toMatchObject({ word: "cannot-tell", since: null });
  });

  it("cannot be told whatever its last report said", () => {
    const failing = accountOf(failedReport(1, { "service/app/main": "exited" }));
    expect(situate(1, {}, failing).all.map(({ word }) => word)).toEqual(["cannot-tell", "failed"]);
  });

  it("cannot be told where its heartbeats come, and no look at what it has ends", () => {
    const hung = { readBack: { agoMs: 5 * 60_000, everyMs: 30_000 }, readBackAt: minutesLater(4.9) };
    const situation = situate(9.9, hung);
    expect(situation).toMatchObject({ word: "cannot-tell", since: minutesLater(4.9), knownAt: minutesLater(4.9) });
    expect(situation.why).toContain("its host has not read back what it has for 5 min");
  });

  it("is current where it is to look once an hour, and says how old that is", () => {
    const seldom = { readBack: { agoMs: 3_540_000, everyMs: 3_600_000 }, readBackAt: minutesLater(-49) };
    expect(situate(10, seldom)).toMatchObject({ word: "current", knownAt: minutesLater(-49) });
  });

  it("is as it says where it has not read back everything yet", () => {
    const half = accountOf(buildReport({ outcome: "half" }));
    const begun = { readBack: { agoMs: null, everyMs: 30_000 } };
    expect(situate(9, begun, half).all.map(({ word }) => word)).toEqual(["outstanding"]);
  });

  it("of before, whose heartbeat waits for its passes, is known by being heard", () => {
    const account = { ...accountOf(buildReport()), receivedAt: minutesLater(-50) };
    expect(situationOf(buildFacts({ account }))).toMatchObject({ word: "current", knownAt: minutesLater(-50) });
  });

  it("is silent, and nothing besides, where it is not heard", () => {
    const account = { ...accountOf(buildReport()), readBack: read };
    const facts = buildFacts({ account, lastContactAt: minutesLater(1) });
    expect(situationOf(facts).all.map(({ word }) => word)).toEqual(["silent"]);
  });

  it("that went back is heard when it said so last, though its account is old (R38)", () => {
    const reverted = { to: null, why: "put back", since: minutesLater(1), heardAt: minutesLater(9) };
    const account = { receivedAt: minutesLater(-500), readBack: read, readBackAt: minutesLater(-500), reverted };
    expect(findStale(account, minutesLater(10), silentAfterMs)).toBeNull();
    expect(situate(-500, { reverted })).toMatchObject({ word: "reverted", knownAt: minutesLater(9) });
    const gone = { ...account, reverted: { ...reverted, heardAt: minutesLater(2) } };
    expect(findStale(gone, minutesLater(10), silentAfterMs)?.since).toBe(minutesLater(2));
  });
});
