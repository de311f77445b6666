import { describe, expect, it } from "vitest";
import type { Refusal } from "../../src/core/report.ts";
import {
  describeSecondWriter,
  listForeign,
  listNewOffers,
  type OfferFacts,
} from "../../src/decide/find-second-writer.ts";
import { minutesLater } from "./support/build-report.ts";

const has = { epoch: 4, number: 70 };

function refusal(check: Refusal["check"], offered: string | null, parts: Partial<Refusal> = {}): Refusal {
  const [epoch = 0, number = 0] = (offered ?? "").split(".").map(Number);
  const message = `refused for its ${check}`;
  return {
    check,
    message,
    offered: offered === null ? null : { epoch, number },
    count: 1,
    at: minutesLater(1),
    ...parts,
  };
}

/** Orders of those that are said to be another writer's. */
function foreign(
  refusals: readonly Refusal[],
  facts: Partial<OfferFacts> = {},
  before: readonly Refusal[] | null = [],
) {
  const offers = listNewOffers({ refusals: [...refusals] }, before);
  const found = listForeign({ has }, offers, { sent: [], pruned: null, recovered: null, ...facts });
  return found.map(({ offered }) => `${offered.epoch}.${offered.number}`);
}

describe("a declaration that a host refused is another writer's (R38)", () => {
  it.each<[string, Refusal]>([
    ["other content under the order that it has (R27)", refusal("same-number-other-digest", "4.70")],
    ["an older one that was never sent", refusal("older", "3.12")],
    ["one that jumps, and was never sent", refusal("jump", "9000001.1")],
  ])("where it is %s", (_what, one) => {
    expect(foreign([one])).toHaveLength(1);
  });

  it.each<[string, Refusal, Partial<OfferFacts>]>([
    ["was sent, and came late or twice", refusal("older", "3.12"), { sent: [{ epoch: 3, number: 12 }] }],
    ["was sent, and the host's mark is far below it", refusal("jump", "9.12"), { sent: [{ epoch: 9, number: 12 }] }],
    ["may have been sent and pruned", refusal("older", "3.12"), { pruned: { epoch: 3, number: 12 } }],
    [
      "may have been lost with records, before a recovery",
      refusal("older", "3.12"),
      { recovered: { epoch: 4, number: 2 } },
    ],
    ["is content under an order that the host does not have", refusal("same-number-other-digest", "4.69"), {}],
    ["is signed by nobody of this mesh", refusal("key", "9.9"), {}],
    ["is for another host", refusal("incarnation", "9.9"), {}],
    ["cannot be read", refusal("envelope", null), {}],
  ])("and not where it %s", (_what, one, facts) => {
    expect(foreign([one], facts)).toEqual([]);
  });

  it("whatever was recovered, where there is other content under the order that it has", () => {
    const recovered = { epoch: 5, number: 100 };
    expect(foreign([refusal("same-number-other-digest", "4.70")], { recovered })).toEqual(["4.70"]);
  });
});

describe("what a host refused is news once, however often it is said again", () => {
  const old = refusal("older", "3.12", { count: 2, at: minutesLater(5) });

  it("is none in the next report, nor where its host forgot some of it", () => {
    expect(foreign([old], {}, [old])).toEqual([]);
    expect(foreign([refusal("older", "3.12", { count: 1, at: minutesLater(4) })], {}, [old])).toEqual([]);
  });

  it("is some again when it was offered again, by count or by time", () => {
    expect(foreign([{ ...old, count: 3 }], {}, [old])).toEqual(["3.12"]);
    expect(foreign([{ ...old, count: 1, at: minutesLater(9) }], {}, [old])).toEqual(["3.12"]);
    expect(foreign([old, refusal("older", "3.13")], {}, [old])).toEqual(["3.13"]);
  });

  it("is none in the first report of a host: its folder may have been another one's", () => {
    expect(foreign([old], {}, null)).toEqual([]);
  });
});

it("is an urgent condition of the node, that names the writer by epoch and says how a person ends it (R38)", () => {
  const offers = listNewOffers(
    { refusals: [refusal("older", "3.12", { count: 2 }), refusal("same-number-other-digest", "4.70")] },
    [],
  );
  expect(describeSecondWriter("node-a", offers)).toMatchObject({
    code: "second-writer",
    subject: "node-a",
    message:
      "somebody else writes declarations for node-a, under epochs 3, 4: its host refused 3.12, which these records never sent (older, 2 times), other content under 4.70 than these records sent (same-number-other-digest, once)",
    remedy: expect.stringMatching(/mesh conditions clear second-writer node-a$/),
    urgent: true,
  });
});
