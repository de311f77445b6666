import { describe, expect, it } from "vitest";
import type { ResourceReport } from "../../src/core/report.ts";
import type { AccountFacts } from "../../src/decide/situation-facts.ts";
import type { SituationWord } from "../../src/decide/situation.ts";
import { wordOfModule } from "../../src/decide/word-of-module.ts";
import { resourceRow } from "./support/build-report.ts";

const rows = (states: Readonly<Record<string, ResourceReport["state"]>>) =>
  Object.entries(states).map(([id, state]) => resourceRow(id, state));
const clean: AccountFacts["track"] = {
  appliedSince: null,
  failing: [],
  failingSince: null,
  failingCount: 0,
  noSuccessSince: null,
  noSuccessCount: 0,
};
const often = { ...clean, failing: ["service/crash/main"], failingCount: 3, failingSince: "2026-01-31T12:00:00.000Z" };

describe("two modules of one node that stand otherwise are kept apart (R31)", () => {
  const beside = rows({ "service/crash/main": "failed", "service/sick/main": "un-ready" });

  it.each<[string, SituationWord, AccountFacts["track"], SituationWord]>([
    ["crash", "failed", clean, "failed"],
    ["sick", "failed", clean, "un-ready"],
    ["crash", "stuck", often, "stuck"],
    ["sick", "stuck", often, "un-ready"],
  ])("%s on a node that is %s", (module, nodeWord, track, word) => {
    expect(wordOfModule(module, nodeWord, { resources: beside, track })).toBe(word);
  });

  it("one that fails since now is no part of what is stuck beside it (R32)", () => {
    const resources = rows({ "service/crash/main": "failed", "service/new/main": "failed" });
    expect(wordOfModule("new", "stuck", { resources, track: often })).toBe("failed");
  });

  it("one that waits for another is outstanding, and not what the other is", () => {
    const resources = rows({ "service/sick/main": "un-ready", "service/web/main": "waiting" });
    expect(wordOfModule("web", "un-ready", { resources, track: clean })).toBe("outstanding");
  });

  it("one that is as wanted is outstanding while the apply goes on, and not failed with the other", () => {
    const resources = rows({
      "service/crash/main": "failed",
      "service/web/main": "applied",
      "file/new/conf": "waiting",
    });
    expect(wordOfModule("web", "failed", { resources, track: clean })).toBe("outstanding");
    expect(wordOfModule("new", "failed", { resources, track: clean })).toBe("outstanding");
    expect(wordOfModule("crash", "failed", { resources, track: clean })).toBe("failed");
  });

  it.each<SituationWord>(["silent", "cannot-tell", "refused", "reverted", "outstanding"])(
    "all of them are %s where their node is",
    (word) => {
      expect(wordOfModule("sick", word, { resources: beside, track: clean })).toBe(word);
      expect(wordOfModule("sick", word, null)).toBe(word);
    },
  );

  it("one that the report does not name is as its node", () => {
    expect(wordOfModule("other", "failed", { resources: beside, track: clean })).toBe("failed");
  });
});
