import { describe, expect, it } from "vitest";
import type { Refusal } from "../../src/core/report.ts";
import { isBehind, situationOf, whyBehind, type SituationWord } from "../../src/decide/situation.ts";
import type { SituationFacts } from "../../src/decide/situation-facts.ts";
import { buildReport, failedReport, minutesLater, reference, resourceRow } from "./support/build-report.ts";
import { accountOf, buildFacts, composedAs } from "./support/build-situation.ts";
import { buildOf, digestNamed } from "./support/build-world.ts";

const web = "service/app/main";
const failing = (times: number): SituationFacts["account"] =>
  accountOf(...Array.from({ length: times }, (_, at) => failedReport(at + 1, { [web]: `pid ${4711 + at} exited` })));
const before = { has: { epoch: 1, number: 6 }, digest: digestNamed("content of 6") };
const refusal = (parts: Partial<Refusal>): Refusal => {
  return {
    check: "digest",
    message: "other content",
    offered: { epoch: 1, number: 7 },
    count: 1,
    at: reference,
    ...parts,
  };
};
const problem = { code: "no-provider", module: "app", why: "database of app has no provider" } as const;
const notWorkedOut: SituationFacts["composition"] = { kind: "not-worked-out", node: "node-a", problems: [problem] };
const notEnrolled = {
  kind: "not-worked-out",
  node: "node-a",
  problems: [{ code: "not-enrolled", module: null, why: "no host of node-a has enrolled yet" }],
} as const;
const newer = composedAs("content of 8", { app: buildOf("app", 2) });

interface Row {
  readonly name: string;
  readonly facts: Partial<SituationFacts>;
  /** Everything that holds, the primary word first. */
  readonly words: readonly SituationWord[];
  readonly since?: string | null;
  readonly why?: string;
}

const rows: readonly Row[] = [
  { name: "has what it was told, and read it back", facts: {}, words: ["current"], since: minutesLater(0) },
  {
    name: "goes on reporting that it is as wanted: it is current since it first did, not since the last report",
    facts: {
      account: accountOf(buildReport({ sequence: 1 }), buildReport({ sequence: 2 }), buildReport({ sequence: 3 })),
    },
    words: ["current"],
    since: minutesLater(0),
  },
  {
    name: "has not reported what it was told yet",
    facts: { account: accountOf(buildReport(before)) },
    words: ["outstanding"],
    since: minutesLater(-1),
    why: "told 1.7, not applied yet: the host has 1.6",
  },
  { name: "has not said anything yet", facts: { account: null }, words: ["outstanding"] },
  {
    name: "is half-way (case 46)",
    facts: {
      account: accountOf(buildReport({ outcome: "half", resources: [resourceRow(web, "waiting", "its artifact")] })),
    },
    words: ["outstanding"],
    why: `told 1.7, not applied yet: ${web}: its artifact`,
  },
  {
    name: "is told but would now be told something else",
    facts: { composition: newer, changedSince: minutesLater(5) },
    words: ["out-of-date"],
    since: minutesLater(5),
    why: "since it was sent 1.7: app has a newer build",
  },
  {
    name: "would be told other settings with the same builds",
    facts: { composition: composedAs("other") },
    words: ["out-of-date"],
    why: "since it was sent 1.7: its settings, its providers or its grants changed",
  },
  {
    name: "is on its way to something that is no longer the newest",
    facts: { composition: newer, account: accountOf(buildReport(before)) },
    words: ["outstanding", "out-of-date"],
  },
  {
    name: "was never told",
    facts: { sent: null, account: null, lastContactAt: null },
    words: ["never-told"],
    since: null,
  },
  { name: "is a new machine under an old name", facts: { incarnation: "host-new" }, words: ["never-told"] },
  {
    name: "has no provider for what it needs (case 24)",
    facts: { composition: notWorkedOut },
    words: ["not-worked-out"],
    why: problem.why,
  },
  {
    name: "was never told and could not be",
    facts: { composition: notWorkedOut, sent: null, account: null },
    words: ["not-worked-out", "never-told"],
  },
  {
    name: "was registered, and its host has not enrolled: nothing failed, and there is nobody to tell yet",
    facts: { composition: notEnrolled, incarnation: null, sent: null, account: null, lastContactAt: null },
    words: ["never-told"],
    why: notEnrolled.problems[0]?.why ?? "",
  },
  {
    name: "failed once",
    facts: { account: failing(1) },
    words: ["failed"],
    since: reference,
    why: `${web}: pid 4711 exited`,
  },
  {
    name: "fails in the same way for the third time (R32, case 29)",
    facts: { account: failing(3) },
    words: ["stuck", "failed"],
    since: reference,
    why: `${web} failed 3 times in a row`,
  },
  {
    name: "is stuck, and something newer would be sent: a label, never a latch (R32)",
    facts: { account: failing(3), composition: newer },
    words: ["stuck", "failed", "out-of-date"],
  },
  {
    name: "was told something newer than what it is stuck with",
    facts: { account: { ...accountOf(failedReport(1, { [web]: "" })), ...before } },
    words: ["outstanding"],
  },
  {
    name: "waits past the bound for what must be beside it (R2)",
    facts: {
      account: accountOf(
        buildReport({ outcome: "un-ready", resources: [resourceRow(web, "un-ready", "waits for broker")] }),
      ),
    },
    words: ["un-ready"],
    why: `${web}: waits for broker`,
  },
  {
    name: "claims applied over a service that is dead (R43, case 33)",
    facts: { account: accountOf(buildReport({ resources: [resourceRow(web, "failed", "not running")] })) },
    words: ["outstanding"],
  },
  {
    name: "went back by itself (case 33)",
    facts: {
      account: {
        ...accountOf(buildReport(before)),
        reverted: { to: null, why: "its disk was put back", since: minutesLater(1), heardAt: minutesLater(9) },
      },
    },
    words: ["reverted", "outstanding"],
    why: "back to before its first declaration: its disk was put back; its report of 1.7 ends this",
  },
  {
    name: "went back from what it was last sent: what it said then is of before (R43, case 33)",
    facts: {
      account: {
        ...accountOf(failedReport(1, { [web]: "exited" })),
        reverted: { to: before.has, why: "its disk was put back", since: minutesLater(1), heardAt: minutesLater(9) },
      },
    },
    words: ["reverted", "out-of-date"],
    why: "back to 1.6: its disk was put back; `push node-a` sends it what it should be, and its report of that ends this",
  },
  {
    name: "refused what it was last told (case 45)",
    facts: { account: accountOf(buildReport({ ...before, refusals: [refusal({})] })) },
    words: ["refused", "outstanding"],
    why: "the host refused it (digest): other content",
  },
  {
    name: "could not read something after the last send",
    facts: {
      account: accountOf(buildReport({ ...before, refusals: [refusal({ check: "signature", offered: null })] })),
    },
    words: ["refused", "outstanding"],
  },
  {
    name: "refused something long before the last send",
    facts: {
      account: accountOf(buildReport({ ...before, refusals: [refusal({ offered: null, at: minutesLater(-90) })] })),
    },
    words: ["outstanding"],
  },
  {
    name: "was held by a cascade (R21)",
    facts: { composition: newer, lastTold: { outcome: "held", why: "its old build is gone", at: minutesLater(2) } },
    words: ["held", "out-of-date"],
    why: "its old build is gone",
  },
  {
    name: "was held once, and was sent since",
    facts: { composition: newer, lastTold: { outcome: "held", why: "", at: minutesLater(-5) } },
    words: ["out-of-date"],
  },
  {
    name: "was held, and what held it is over",
    facts: { lastTold: { outcome: "held", why: "", at: minutesLater(2) } },
    words: ["current"],
  },
  {
    name: "has more than these records know (R35)",
    facts: { account: accountOf(buildReport({ has: { epoch: 2, number: 1 } })) },
    words: ["cannot-tell"],
    why: "the host has 2.1, these records end at 1.7",
  },
  {
    name: "has other content than was sent under its number",
    facts: { account: accountOf(buildReport({ digest: digestNamed("other") })) },
    words: ["cannot-tell"],
  },
  {
    name: "is only known from records that were read long ago (case 30)",
    facts: { readAt: minutesLater(5) },
    words: ["cannot-tell"],
    since: minutesLater(5),
    why: "the records were last read 5 min ago",
  },
];

describe("a node's situation (R31)", () => {
  it.each(rows)("$name", ({ facts, words, since, why }) => {
    const situation = situationOf(buildFacts(facts));
    expect(situation.all.map(({ word }) => word)).toEqual(words);
    expect(situation.word).toBe(words[0]);
    if (since !== undefined) expect(situation.since).toBe(since);
    if (why !== undefined) expect(situation.why).toBe(why);
  });

  it("is known from the host's last report, not from what it asked since, and that is old when it is", () => {
    expect(situationOf(buildFacts()).knownAt).toBe(minutesLater(0));
    expect(situationOf(buildFacts({ account: null })).knownAt).toBe(minutesLater(9));
    expect(situationOf(buildFacts({ sent: null, account: null })).knownAt).toBe(minutesLater(10));
  });

  it("shows what its host refused besides, without calling it refused (case 45)", () => {
    const refusals = [
      refusal({ check: "older", message: "it is 1.3, this host has 1.7", offered: { epoch: 1, number: 3 }, count: 2 }),
    ];
    const situation = situationOf(buildFacts({ account: accountOf(buildReport({ refusals })) }));
    expect(situation.word).toBe("current");
    expect(situation.notices).toEqual([
      `refused declaration 1.3 (older): it is 1.3, this host has 1.7; 2 times, last at ${reference}`,
    ]);
  });

  it("shows a root that its host refuses, and goes on calling it current: the root it has is good (case 45)", () => {
    const refused = {
      check: "root",
      message: "root 4: threshold-before: not signed by root 3",
      offered: null,
    } as const;
    const refusals = [refusal({ ...refused, count: 1 })];
    const situation = situationOf(
      buildFacts({ account: accountOf(buildReport({ refusals, has: null, digest: null })) }),
    );
    expect(situation.all.map(({ word }) => word)).not.toContain("refused");
    expect(situation.notices).toEqual([
      `refused a root (root): root 4: threshold-before: not signed by root 3; once, last at ${reference}`,
    ]);
  });
});

describe("why a push --behind tells a node (R18)", () => {
  it.each<[string, Partial<SituationFacts>, RegExp | null]>([
    ["a new build, though it is stuck", { composition: newer, account: failing(3) }, /app has a newer build$/],
    ["never told", { sent: null, account: null }, /^it was never told anything/],
    ["nothing", {}, null],
  ])("is said: %s", (_what, facts, why) => {
    const said = whyBehind(situationOf(buildFacts(facts)));
    if (why === null) expect(said).toBeNull();
    else expect(said).toMatch(why);
  });
});

describe("what is behind (R31, R19)", () => {
  it.each<[Partial<SituationFacts>, boolean]>([
    [{}, false],
    [{ composition: newer }, true],
    [{ composition: newer, account: failing(3) }, true],
    [{ sent: null, account: null }, true],
    [{ sent: null, account: null, composition: notWorkedOut }, false],
    [{ composition: notEnrolled, incarnation: null, sent: null, account: null }, false],
    [{ composition: newer, lastTold: { outcome: "held", why: "", at: minutesLater(2) } }, true],
    [{ account: null }, false],
  ])("%#", (facts, behind) => {
    expect(isBehind(situationOf(buildFacts(facts)))).toBe(behind);
  });
});
