import { describe, expect, it } from "vitest";
import type { UnorderedReport } from "../../src/core/report.ts";
import { judgeUnordered, type UnorderedFacts } from "../../src/decide/judge-unordered.ts";

const digest = `sha256:${"a".repeat(64)}`;
const other = `sha256:${"b".repeat(64)}`;
const at = "2026-01-01T00:00:00.000Z";
const report = (changes: Partial<UnorderedReport> = {}): UnorderedReport => ({
  schema: 1,
  mesh: "home",
  node: "node-a",
  incarnation: "aaaa",
  digest,
  at,
  lastWordAt: null,
  outcome: "failed",
  resources: [{ id: "file/web/x", state: "failed", message: "no" }],
  refusals: [],
  ...changes,
});
const facts = (changes: Partial<UnorderedFacts> = {}): UnorderedFacts => ({
  account: null,
  incarnation: "aaaa",
  lastSent: { order: { epoch: 2, number: 9 }, digest, incarnation: "aaaa" },
  receivedAt: at,
  ...changes,
});

describe("a report without an order (R37)", () => {
  it.each<[string, Partial<UnorderedReport>, Partial<UnorderedFacts>, string]>([
    ["about what was last sent", {}, {}, "kept"],
    ["about something else", { digest: other }, {}, "other-digest"],
    ["about nothing, though something was sent", { digest: null }, {}, "other-digest"],
    ["about something, though nothing was sent", {}, { lastSent: null }, "other-digest"],
    ["about nothing, and nothing was sent", { digest: null }, { lastSent: null }, "kept"],
    ["about what another host of this name was sent", {}, { lastSent: { ...sentTo("bbbb") } }, "other-digest"],
    ["of another host of this name", { incarnation: "bbbb" }, {}, "wrong-incarnation"],
    ["where nobody is enrolled", {}, { incarnation: null }, "wrong-incarnation"],
  ])("%s", (_what, changes, known, kind) => {
    expect(judgeUnordered(report(changes), facts(known)).kind).toBe(kind);
  });

  it("counts each one behind the one that is here, and a failure that repeats as one (R32)", () => {
    let account: UnorderedFacts["account"] = null;
    for (let count = 1; count <= 3; count += 1) {
      const decision = judgeUnordered(report(), facts({ account }));
      if (decision.kind !== "kept") throw new Error(decision.message);
      const { has, boot, sequence } = decision.report;
      expect([has, boot, sequence, decision.track.failingCount]).toEqual([{ epoch: 2, number: 9 }, 0, count, count]);
      account = { has, boot, sequence, incarnation: "aaaa", track: decision.track };
    }
  });
});

function sentTo(incarnation: string): NonNullable<UnorderedFacts["lastSent"]> {
  return { order: { epoch: 2, number: 9 }, digest, incarnation };
}
