import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/decide/exit-code.ts";
import { isBehind, situationOf, type SituationWord } from "../../src/decide/situation.ts";
import type { SituationFacts } from "../../src/decide/situation-facts.ts";
import { failedReport, minutesLater } from "./support/build-report.ts";
import { accountOf, branchOf, buildFacts, otherCommit } from "./support/build-situation.ts";

const failing = (times: number): SituationFacts["account"] =>
  accountOf(...Array.from({ length: times }, (_, at) => failedReport(at + 1, { "service/app/main": "it exited" })));

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
    name: "may be behind: its sources were not looked at for long",
    facts: { sources: [branchOf({ lookedAt: minutesLater(-10) })] },
    words: ["cannot-tell"],
    why: "shop (main) was last looked at 20 min ago: it may have moved",
  },
  { name: "may be behind: a source was never looked at", facts: { sources: [null] }, words: ["cannot-tell"] },
  {
    name: "may be behind: the newest tip of a source waits to be compared (R26)",
    facts: { sources: [branchOf(), branchOf({ commit: otherCommit, commitSeenAt: minutesLater(9) })] },
    words: ["cannot-tell"],
    since: minutesLater(9),
    why: "shop (main) was seen at bbbbbbb 1 min ago, and that is not compared yet",
  },
  {
    name: "may be behind: no controller acts, so nobody looks (R26)",
    facts: { sources: [branchOf()], listening: { by: "nobody", since: minutesLater(9) } },
    words: ["cannot-tell"],
    why: `no controller acts since ${minutesLater(9)}, so nobody looks: shop (main) was last looked at 1 min ago`,
  },
  {
    name: "failed, and its sources were not looked at: that it failed is certain",
    facts: { account: failing(1), sources: [null] },
    words: ["failed"],
  },
];

describe("a node by what is known of its sources (R26, R31)", () => {
  it.each(rows)("$name", ({ facts, words, since, why }) => {
    const situation = situationOf(buildFacts(facts));
    expect(situation.all.map(({ word }) => word)).toEqual(words);
    if (since !== undefined) expect(situation.since).toBe(since);
    if (why !== undefined) expect(situation.why).toBe(why);
  });

  it("does not depend on sources where nothing has one", () => {
    const { sources: _, ...facts } = buildFacts();
    expect(situationOf(facts).word).toBe("current");
  });

  it("does not flicker while a tip that was just seen is being compared, and is not settled then (R48)", () => {
    const seen = branchOf({ commit: otherCommit, commitSeenAt: minutesLater(10) });
    const situation = situationOf(buildFacts({ sources: [branchOf(), seen] }));
    expect(situation).toMatchObject({ word: "current", awaits: "comparison" });
    expect(situation.why).toContain("; shop (main) was seen at bbbbbbb 0 s ago, and is being compared");
    expect([isBehind(situation), exitCodeOf([situation])]).toEqual([false, 1]);
  });
});
