import { describe, expect, it } from "vitest";
import { type EffectFacts, judgeEffect } from "../../src/cli/push/judge-effect.ts";
import { pushCode } from "../../src/cli/push/push-code.ts";
import type { PushDocument, PushedNode } from "../../src/cli/text/push-text.ts";

const digest = `sha256:${"a".repeat(64)}`;
const order = { epoch: 2, number: 7 };
const sentAt = "2026-01-01T00:00:00.000Z";

type Account = NonNullable<EffectFacts["account"]>;

function facts(account: Partial<Account> | null, silentMs: number | null = null): EffectFacts {
  const base: Account = {
    has: order,
    digest,
    outcome: "applied",
    report: { resources: [], refusals: [] },
    track: { failingCount: 0, noSuccessCount: 0 },
  };
  return { order, digest, sentAt, silentMs, stale: null, account: account === null ? null : { ...base, ...account } };
}

const service = { id: "service/meshboard/main", message: "has waited 60 s for service/broker/main" } as const;
const failing: Pick<Account, "outcome" | "report"> = {
  outcome: "failed",
  report: { resources: [{ id: "service/meshboard/main", state: "failed", message: "exited with 1" }], refusals: [] },
} as const;
const refusal = {
  check: "signature",
  message: "no key of the root signed it",
  offered: order,
  count: 1,
  at: "2026-01-01T00:00:00.000Z",
} as const;

const stale = "no report of it was kept for 12 min";
const reverted = { why: "its disk was put back" };

describe("how far a node has come with what it was told", () => {
  it.each([
    ["nothing was reported yet", facts(null), "outstanding", false],
    ["nothing was reported, and the host is silent (case 30)", facts(null, 200_000), "cannot-tell", false],
    ["it still has an older one", facts({ has: { epoch: 2, number: 6 } }), "outstanding", false],
    ["an older epoch's higher number is older", facts({ has: { epoch: 1, number: 99 } }), "outstanding", false],
    ["it read back everything as wanted", facts({}), "applied", true],
    ["it went back since: what it read back is of before (R43, R48)", facts({ reverted }), "failed", true],
    ["it went back from a newer one", facts({ has: { epoch: 2, number: 8 }, reverted }), "failed", true],
    ["it went back before it had this one", facts({ has: { epoch: 2, number: 6 }, reverted }), "outstanding", false],
    [
      "it has it now, whatever it refused before",
      facts({ report: { resources: [], refusals: [refusal] } }),
      "applied",
      true,
    ],
    ["it read back everything as wanted, and is silent since (case 30)", facts({}, 200_000), "cannot-tell", false],
    ["it read back everything as wanted, and that is old (R48)", { ...facts({}), stale }, "cannot-tell", false],
    ["nothing of this was reported, nor anything else", { ...facts({ has: null }), stale }, "cannot-tell", false],
    ["it is half way (case 46)", facts({ outcome: "half" }), "outstanding", false],
    [
      "one thing failed while another is on its way",
      facts({
        outcome: "half",
        report: {
          resources: [...failing.report.resources, { ...service, id: "service/web/main", state: "waiting" }],
          refusals: [],
        },
      }),
      "failed",
      false,
    ],
    ["it failed once: a service that starts fails for a moment", facts(failing), "failed", false],
    [
      "a service of it waits for something that may still come (R2)",
      facts({ outcome: "un-ready", report: { resources: [{ ...service, state: "un-ready" }], refusals: [] } }),
      "un-ready",
      false,
    ],
    ["it is stuck (R32)", facts({ ...failing, track: { failingCount: 3, noSuccessCount: 3 } }), "failed", true],
    [
      "it has a newer one: superseded, not failed (case 31)",
      facts({ has: { epoch: 2, number: 8 } }),
      "superseded",
      true,
    ],
    ["it reports another content under this number", facts({ digest: `sha256:${"b".repeat(64)}` }), "failed", true],
    ["it refused this very one", facts({ has: null, report: { resources: [], refusals: [refusal] } }), "failed", true],
    [
      "it refused something that it could not read since then: a key that it does not know",
      facts({
        has: { epoch: 2, number: 6 },
        report: { resources: [], refusals: [{ ...refusal, check: "key", offered: null }] },
      }),
      "failed",
      true,
    ],
    [
      "it refused something unreadable before this was sent",
      facts({
        has: { epoch: 2, number: 6 },
        report: { resources: [], refusals: [{ ...refusal, offered: null, at: "2025-12-31T23:59:59.000Z" }] },
      }),
      "outstanding",
      false,
    ],
    [
      "it refused something unreadable before this was sent, by a clock that is a minute ahead",
      facts({
        has: { epoch: 2, number: 6 },
        report: {
          at: "2026-01-01T00:03:00.000Z",
          resources: [],
          refusals: [{ ...refusal, offered: null, at: "2026-01-01T00:00:59.000Z" }],
        },
        receivedAt: "2026-01-01T00:02:00.000Z",
      }),
      "outstanding",
      false,
    ],
    [
      "it refused something unreadable, and has this one",
      facts({ report: { resources: [], refusals: [{ ...refusal, offered: null }] } }),
      "applied",
      true,
    ],
  ] as const)("%s", (_what, given, effect, final) => {
    expect(judgeEffect(given)).toMatchObject({ effect, final });
  });

  it.each([
    ["what it has instead is applied", facts({ has: { epoch: 2, number: 8 } }), undefined],
    ["what it has instead failed", facts({ ...failing, has: { epoch: 2, number: 8 } }), true],
    ["what it has instead was applied long ago (case 30)", facts({ has: { epoch: 2, number: 8 } }, 200_000), true],
    ["what it has instead was read back long ago", { ...facts({ has: { epoch: 2, number: 8 } }), stale }, true],
  ] as const)("ends the wait for what is superseded, and settles nothing by that: %s", (_what, given, pending) => {
    const judged = judgeEffect(given);
    expect(judged.effect).toBe("superseded");
    expect(judged.pending).toBe(pending);
  });

  it("says which resource fails, and how", () => {
    expect(judgeEffect(facts(failing)).says).toBe("service/meshboard/main failed: exited with 1");
  });
});

describe("exit code of a push (R48)", () => {
  const node = (effect: PushedNode["effect"], outcome: PushedNode["outcome"] = "sent"): PushedNode => ({
    node: "node-a",
    round: 0,
    outcome,
    why: "named",
    epoch: 2,
    number: 7,
    digest,
    effect,
    says: "",
  });
  const code = (outcome: PushDocument["outcome"], ...nodes: PushedNode[]) => pushCode({ outcome, nodes });

  it.each([
    ["settled and applied", code("settled", node("applied")), 0],
    ["settled, nobody to tell", code("settled"), 0],
    ["settled, not applied yet", code("settled", node("applied"), node("outstanding")), 1],
    ["settled, a service waits for something that may still come", code("settled", node("un-ready")), 1],
    ["settled, superseded by what is applied (case 31)", code("settled", node("superseded")), 0],
    ["settled, superseded by what is not", code("settled", { ...node("superseded"), pending: true }), 1],
    ["settled, one held (case 20)", code("settled", node("not-sent", "held")), 1],
    ["still under way", code("under-way"), 1],
    ["not worked out (case 24)", code("settled", node("not-sent", "not-worked-out")), 2],
    ["needs a confirmation (R26)", code("refused", node("not-sent", "needs-confirmation")), 2],
    ["did not settle (case 21)", code("did-not-settle", node("outstanding")), 2],
    [
      "failed on one, the other cannot be told: what is certain first",
      code("settled", node("failed"), node("cannot-tell")),
      2,
    ],
    ["cannot be told", code("settled", node("applied"), node("cannot-tell")), 3],
  ])("%s", (_what, got, wanted) => {
    expect(got).toBe(wanted);
  });
});
