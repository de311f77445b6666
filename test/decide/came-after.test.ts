import { describe, expect, it } from "vitest";
import { cameAfter } from "../../src/decide/came-after.ts";
import { situationOf } from "../../src/decide/situation.ts";
import { buildReport, minutesLater } from "./support/build-report.ts";
import { accountOf, buildFacts } from "./support/build-situation.ts";

/** A report that came at minute ten, of a host whose clock is ahead by so much. */
const by = (ahead: number) => ({ reportAt: minutesLater(10 + ahead), receivedAt: minutesLater(10) });

describe("what a host dates by its own clock, and the records by theirs (R43)", () => {
  it.each([
    { what: "refused before the send, by a clock that is ahead", at: 5.5, ahead: 1, after: false },
    { what: "refused after the send, by a clock that is ahead", at: 6.5, ahead: 1, after: true },
    { what: "refused after the send, by a clock that is behind", at: 4.5, ahead: -1, after: true },
    { what: "refused before the send, by a clock that is behind", at: 3.5, ahead: -1, after: false },
    { what: "refused as it was sent, by the same clock", at: 5, ahead: 0, after: true },
  ])("$what: after is $after", ({ at, ahead, after }) => {
    expect(cameAfter(minutesLater(at), minutesLater(5), by(ahead))).toBe(after);
  });

  it("are taken as one clock where nobody knows how far they are apart", () => {
    expect(cameAfter(minutesLater(5), minutesLater(5), {})).toBe(true);
    expect(cameAfter(minutesLater(4.9), minutesLater(5), { receivedAt: minutesLater(9) })).toBe(false);
  });

  it.each([
    { ahead: 1, word: "outstanding" },
    { ahead: 0, word: "refused" },
  ])(
    "make a node $word whose host is $ahead min ahead, and dates what it could not read after the send",
    ({ ahead, word }) => {
      const refusals = [
        { check: "key" as const, message: "not known", offered: null, count: 1, at: minutesLater(-0.5) },
      ];
      const account = accountOf(buildReport({ has: { epoch: 1, number: 6 }, refusals }));
      const facts = buildFacts({ account: { ...account, reportAt: minutesLater(ahead) } });
      expect(situationOf(facts).word).toBe(word);
    },
  );
});
