import { describe, expect, it } from "vitest";
import { buildCode, judgeLooks, wasLookedAt } from "../../src/cli/judge-looks.ts";
import { buildText } from "../../src/cli/text/build-text.ts";
import type { SourceHead } from "../../src/store/source-heads.ts";

const now = new Date("2026-01-01T00:10:00.000Z");
const askedAt = "2026-01-01T00:09:00.000Z";
const commit = "3f2a9c1".padEnd(40, "0");
const head: SourceHead = {
  repository: "shop",
  branch: "main",
  url: "file:///srv/shop.git",
  commit,
  commitSeenAt: null,
  lookedAt: "2026-01-01T00:09:01.000Z",
  ageMs: 59_000,
  comparedCommit: commit,
  factsCommit: commit,
  failingSince: null,
  failure: null,
  failedAt: null,
};
const old = { lookedAt: "2026-01-01T00:00:00.000Z", ageMs: 600_000 };
const failing = { failingSince: "2026-01-01T00:00:00.000Z", failure: "no \u001b[2J answer" };
const failedAt = (at: string) => ({ ...failing, failedAt: `2026-01-01T00:${at}.000Z` });
const web = { repository: "shop", branch: "main" };

const judge = (changes: Partial<SourceHead>) => judgeLooks([{ ...head, ...changes }], [web], askedAt);
const codeOf = (changes: Partial<SourceHead>) => buildCode([{ standing: "current" }], judge(changes));

describe("mesh build says 0 only of sources that were seen (R48)", () => {
  it.each([
    ["looked at since the request, and compared", {}, 0],
    ["the time was over before anybody looked", old, 1],
    ["looked at a second before the request", { lookedAt: "2026-01-01T00:08:59.000Z", ageMs: 61_000 }, 1],
    ["never looked at", { lookedAt: null, ageMs: null }, 1],
    ["its newest tip not compared yet", { comparedCommit: null }, 1],
    ["the source does not answer", failing, 3],
  ] as const)("%s", (_what, changes, code) => {
    expect(codeOf(changes)).toBe(code);
  });

  it.each([
    ["it answered, and what it has is compared", {}, true],
    ["it answered, and is being compared", { comparedCommit: null }, false],
    ["it did not answer this time either", failedAt("09:00"), true],
    ["it did not answer an hour ago, and was not asked since: it may be right again", failedAt("08:59"), false],
    ["it answers again", { failedAt: null }, true],
    ["nobody knows when it failed: a record of before", failing, false],
  ] as const)("who waits for a look: %s (R7, case 4)", (_what, changes, was) => {
    expect(wasLookedAt({ ...head, ...changes }, askedAt)).toBe(was);
  });

  it("what is certain and bad comes first; other sources do not matter", () => {
    expect(buildCode([{ standing: "unfit" }], judge(failing))).toBe(2);
    expect(judgeLooks([{ ...head, ...failing, branch: "next" }], [web], askedAt)).toEqual([]);
  });

  it("each module is looked at once, however many branches there are", () => {
    let asked = 0;
    const modules = Array.from({ length: 50 }, (_, at) => ({
      get repository(): string {
        asked += 1;
        return `shop-${at}`;
      },
      branch: "main",
    }));
    const heads = Array.from({ length: 50 }, (_, at) => ({ ...head, repository: `shop-${at}` }));
    expect(judgeLooks(heads, modules, askedAt)).toHaveLength(50);
    expect(asked).toBe(50);
  });

  it("says which source, and nothing that a terminal acts upon (case 52)", () => {
    const document = { modules: [], registered: 1, waited: true, sources: judge(failing), wave: null };
    expect(buildText(document, now)).toBe(
      "no module is behind its source\n  shop main does not answer since 10 min ago: no ·[2J answer\n  next: mesh status",
    );
  });

  it.each([
    ["current", true, "mesh plan NODE   then   mesh push NODE"],
    ["outstanding", true, "mesh why web"],
    ["outstanding", false, "mesh build --wait"],
    ["cannot-tell", false, "mesh why web"],
    ["unfit", true, "mesh log web"],
    ["broken", true, "mesh why web"],
  ] as const)("a module that is %s (waited for: %s) is followed by %s", (standing, waited, next) => {
    const row = { module: "web", standing, standingWhy: "", sourceCommit: null, sourceSubject: null };
    const modules = [{ ...row, fitArtifact: null, comparedAt: null }];
    const text = buildText({ modules, registered: 1, waited, sources: judge({}), wave: null }, now);
    expect(text.split("\n").at(-1)).toBe(`  next: ${next}`);
  });
});
