import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/decide/exit-code.ts";
import { situationOf, type SituationWord } from "../../src/decide/situation.ts";
import { minutesLater } from "./support/build-report.ts";
import { buildFacts } from "./support/build-situation.ts";

describe("exit codes (R48)", () => {
  it.each<[SituationWord[], number]>([
    [[], 0],
    [["current", "current"], 0],
    [["current", "outstanding"], 1],
    [["out-of-date"], 1],
    [["never-told"], 1],
    [["held"], 1],
    [["un-ready"], 1],
    [["failed"], 2],
    [["stuck", "current"], 2],
    [["refused"], 2],
    [["reverted"], 2],
    [["not-worked-out"], 2],
    [["silent"], 3],
    [["cannot-tell", "outstanding"], 3],
    [["cannot-tell", "failed"], 2],
  ])("%s: %i", (words, code) => {
    expect(exitCodeOf(words.map((word) => ({ word })))).toBe(code);
  });

  it("is never 0 on stale knowledge (case 30)", () => {
    const tip = "a".repeat(40);
    const seen = { repository: "shop", branch: "main", commit: tip, comparedCommit: tip, failingSince: null };
    const source = { ...seen, commitSeenAt: minutesLater(-60), lookedAt: minutesLater(-60) };
    const stale: readonly Parameters<typeof buildFacts>[0][] = [
      { readAt: minutesLater(0) },
      { lastContactAt: minutesLater(0) },
      { sources: [source] },
    ];
    for (const facts of stale) expect(exitCodeOf([situationOf(buildFacts(facts))])).toBe(3);
  });
});
