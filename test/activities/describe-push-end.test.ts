import { describe, expect, it } from "vitest";
import { describePushEnd, type PushEnd } from "../../src/activities/describe-push-end.ts";

const settled: PushEnd = {
  outcome: "settled",
  rounds: 2,
  moving: [],
  last: [{ node: "node-a", outcome: "sent", why: "named" }],
  sent: 1,
};

describe("how a push ends, in a sentence (R18, R25)", () => {
  it.each<[string, Partial<PushEnd>, string]>([
    ["settled", {}, "settled in 2 rounds, sent to 1 node"],
    [
      "refused: it is not called settled",
      {
        outcome: "refused",
        rounds: 1,
        last: [{ node: "node-a", outcome: "not-worked-out", why: "no provider" }],
        sent: 0,
      },
      "node-a is not worked out: no provider; nothing was sent",
    ],
    [
      "settled, and one node held",
      { last: [{ node: "node-b", outcome: "held", why: "no build of app" }] },
      "settled in 2 rounds, sent to 1 node; node-b is held: no build of app",
    ],
    [
      "did not settle",
      { outcome: "did-not-settle", moving: ["node-a"] },
      "did not settle in 2 rounds: node-a still move",
    ],
  ])("%s", (_what, parts, sentence) => {
    expect(describePushEnd({ ...settled, ...parts })).toBe(sentence);
  });
});
