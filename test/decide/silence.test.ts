import { describe, expect, it } from "vitest";
import { situationOf, type SituationWord } from "../../src/decide/situation.ts";
import type { SituationFacts } from "../../src/decide/situation-facts.ts";
import { buildReport, failedReport, minutesLater } from "./support/build-report.ts";
import { accountOf, buildFacts } from "./support/build-situation.ts";

const failing = (times: number): SituationFacts["account"] =>
  accountOf(...Array.from({ length: times }, (_, at) => failedReport(at + 1, { "service/app/main": "it exited" })));

const sentAt = (at: string): SituationFacts["sent"] => {
  const { sent } = buildFacts();
  return sent === null ? null : { ...sent, at };
};

interface Row {
  readonly name: string;
  readonly facts: Partial<SituationFacts>;
  /** Everything that holds, the primary word first. */
  readonly words: readonly SituationWord[];
  readonly since?: string;
  readonly why?: string;
}

const rows: readonly Row[] = [
  {
    name: "has been silent, whatever its last word was (case 30, case 32)",
    facts: { account: failing(3), lastContactAt: minutesLater(2) },
    words: ["silent", "stuck", "failed"],
    since: minutesLater(2),
    why: "no word of its host for 8 min",
  },
  {
    name: "was heard last at a time to come, of a clock that was ahead: a dead host is not current until then (case 30)",
    facts: { lastContactAt: minutesLater(500) },
    words: ["cannot-tell"],
    why: `its host was heard last at ${minutesLater(500)}, which is still to come: the records' clock was set back since`,
  },
  {
    name: "is not heard because no controller runs: nothing is known of the host (case 30)",
    facts: { listening: { by: "nobody", since: minutesLater(3) }, lastContactAt: minutesLater(2) },
    words: ["cannot-tell"],
    since: minutesLater(3),
    why: `no controller has run since ${minutesLater(3)}, so nobody hears its host: no word of its host for 8 min`,
  },
  {
    name: "was silent already when the last controller ended",
    facts: { listening: { by: "nobody", since: minutesLater(6) }, lastContactAt: minutesLater(2) },
    words: ["silent"],
    since: minutesLater(2),
    why: `no word of its host for 8 min, and no controller has run since ${minutesLater(6)}`,
  },
  {
    name: "never said a word, and nobody knows when a controller ran",
    facts: { listening: { by: "nobody", since: null }, account: null, lastContactAt: null },
    words: ["cannot-tell", "outstanding"],
    why: "no controller runs, so nobody hears its host: its host never said a word",
  },
  {
    name: "was heard a moment ago, though no controller runs: nobody looks at its sources",
    facts: { listening: { by: "nobody", since: minutesLater(9) } },
    words: ["cannot-tell"],
  },
  {
    name: "was heard a moment ago, though no controller runs, and has no source",
    facts: { listening: { by: "nobody", since: minutesLater(9) }, sources: [] },
    words: ["current"],
  },
  {
    name: "never said a word since it was enrolled, however lately it was told something",
    facts: {
      account: null,
      lastContactAt: null,
      enrolledAt: minutesLater(-5),
      sent: sentAt(minutesLater(9.5)),
    },
    words: ["silent", "outstanding"],
    since: minutesLater(-5),
    why: "its host never said a word",
  },
  {
    name: "was enrolled anew a moment ago: what the host before it said, and when, is no word of this one",
    facts: { account: null, lastContactAt: minutesLater(2), enrolledAt: minutesLater(9) },
    words: ["outstanding"],
  },
  {
    name: "was enrolled anew, and only the host before it was ever heard",
    facts: { account: null, lastContactAt: minutesLater(2), enrolledAt: minutesLater(6) },
    words: ["silent", "outstanding"],
    since: minutesLater(6),
    why: "its host never said a word",
  },
  { name: "has never said a word", facts: { account: null, lastContactAt: null }, words: ["silent", "outstanding"] },
];

describe("a node whose host says nothing (R31)", () => {
  it.each(rows)("$name", ({ facts, words, since, why }) => {
    const situation = situationOf(buildFacts(facts));
    expect(situation.all.map(({ word }) => word)).toEqual(words);
    if (since !== undefined) expect(situation.since).toBe(since);
    if (why !== undefined) expect(situation.why).toBe(why);
  });
});

it("a host whose reports its controller cannot read is said, beside its account from before", () => {
  const account = accountOf(buildReport());
  const read = (count: number) =>
    situationOf(buildFacts({ account: { ...account, unread: { count, why: "schema: resources" } } })).notices;
  expect(read(1)).toEqual([
    "one of its reports could not be read by its controller since its host started, the last because: schema: resources",
  ]);
  expect(read(3)[0]).toMatch(/^3 of its reports/);
});
