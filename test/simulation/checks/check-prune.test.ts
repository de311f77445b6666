import { beforeAll, describe, expect, it } from "vitest";
import { keepReport } from "../store/report-twin.ts";
import { type Draft, put, type Records } from "../store/state.ts";
import { checkPrune } from "./check-prune.ts";
import { acceptedOf, deaf, reportOf } from "./play-hosts.ts";
import { type Played, playPushes } from "./play-pushes.ts";

let played: Played;
let heard: Records;
beforeAll(async () => {
  played = await playPushes();
  const draft: Draft = { ...played.records };
  keepReport(draft, reportOf(acceptedOf(played, "node-a", -1)), "2026-01-01T00:01:00.000Z", deaf);
  for (const [id, push] of draft.pushes)
    draft.pushes = put(draft.pushes, id, { ...push, endedAt: "2026-01-01T00:01:00.000Z" });
  heard = { ...draft };
});

/** All of a node's declarations but the one at this place. */
function without(records: Records, node: string, at: number): Records {
  const list = records.declarations.get(node) ?? [];
  return { ...records, declarations: put(records.declarations, node, list.toSpliced(at, 1)) };
}

function withoutPush(records: Records, id: string): Records {
  return { ...records, pushes: new Map([...records.pushes].filter(([one]) => one !== id)) };
}

/** Pushes that go on, as they were when they were played. */
function goingOn(): Records {
  return { ...heard, pushes: played.records.pushes };
}

describe("what was pruned (case 39)", () => {
  it("was asked for by nobody: no promise is broken", () => {
    checkPrune(heard, without(heard, "node-a", 0));
    checkPrune(heard, withoutPush(heard, "push-1"));
  });

  it.each<[string, RegExp, () => readonly [Records, Records]]>([
    ["is what a node was sent last", /sent last/, () => [heard, without(heard, "node-a", 2)]],
    ["is what its host may have", /host may have it/, () => [played.records, without(played.records, "node-a", 0)]],
    ["is of a push that goes on", /push-1 goes on/, () => [goingOn(), without(goingOn(), "node-a", 0)]],
    ["is a push that goes on", /push-2 was pruned/, () => [goingOn(), withoutPush(goingOn(), "push-2")]],
    [
      "is what such a push told",
      /what push-2 told/,
      () => [goingOn(), { ...goingOn(), told: put(heard.told, "push-2", []) }],
    ],
    ["is a provision", /a provision was pruned/, () => [heard, { ...heard, provisions: [] }]],
    ["is a number", /a number/, () => [heard, { ...heard, number: 0 }]],
  ])("%s: I18 is named", (_what, words, make) => {
    const [before, after] = make();
    expect(() => checkPrune(before, after)).toThrow(/^I18:/);
    expect(() => checkPrune(before, after)).toThrow(words);
  });
});
