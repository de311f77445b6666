import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Order } from "../../src/core/declaration.ts";
import { acceptDeclaration, type Acceptance } from "../../src/decide/accept-declaration.ts";
import { describeStop, judgeClaim, type Claim, type ClaimFacts } from "../../src/decide/judge-claim.ts";
import { jumpLimits } from "../../src/decide/jump-limits.ts";
import { compareOrder } from "../../src/decide/order.ts";
import { planRecovery, type HostFacts, type RecoveryFacts } from "../../src/decide/plan-recovery.ts";
import { buildDeclaration } from "./support/build-report.ts";

const digest = `sha256:${"a".repeat(64)}`;
const other = `sha256:${"b".repeat(64)}`;
const claim: Claim = { node: "node-a", incarnation: "host-1", order: { epoch: 3, number: 9 }, digest };
const facts: ClaimFacts = { incarnation: "host-1", sentDigest: null, pruned: null, recovered: null, isLeftOut: false };

describe("what a host says that it has (R35)", () => {
  it.each([
    ["is known where it was sent exactly that", { sentDigest: digest }, { kind: "known" }],
    ["is ahead where these records never sent it that", {}, { kind: "ahead", stops: true }],
    ["is a fork where they sent it other content", { sentDigest: other }, { kind: "fork", stops: true }],
    ["says nothing once another host is enrolled", { incarnation: "host-2" }, { kind: "known" }],
    ["stops nothing below a recovery", { recovered: { epoch: 4, number: 0 } }, { kind: "ahead", stops: false }],
    [
      "stops nothing where a recovery went above that very one",
      { recovered: claim.order },
      { kind: "ahead", stops: false },
    ],
    ["stops again above a recovery", { recovered: { epoch: 3, number: 8 } }, { kind: "ahead", stops: true }],
    ["stops nothing where a person left it out", { isLeftOut: true }, { kind: "ahead", stops: false }],
  ])("%s", (_what, more, judged) => {
    expect(judgeClaim(claim, { ...facts, ...more })).toEqual(judged);
  });

  it("counts by its number alone where it is asked with, and not reported", () => {
    expect(judgeClaim({ ...claim, digest: null }, { ...facts, sentDigest: other })).toEqual({ kind: "known" });
    expect(judgeClaim({ ...claim, digest: null }, facts)).toEqual({ kind: "ahead", stops: true });
  });

  it("is said in a sentence that names the hosts, and the backup where there was one", () => {
    const restored = { at: "2026-01-02T00:00:00.000Z", takenAt: "2026-01-01T00:00:00.000Z" };
    const claims = ["a", "b", "c", "d"].map((name) => ({ node: name, order: claim.order, kind: "ahead" as const }));
    const stop = { since: restored.at, restored, claims };
    expect(describeStop({ ...stop, reason: "restored" })).toMatch(
      /^the records were restored at 2026-01-02.*and 1 more$/,
    );
    expect(describeStop({ ...stop, reason: "hosts-ahead", claims: claims.slice(0, 1) })).toBe(
      "hosts are ahead of the records: a has 3.9, which these records never sent",
    );
    const fork = { node: "a", order: claim.order, kind: "fork" as const };
    expect(describeStop({ ...stop, reason: "hosts-ahead", claims: [fork] })).toBe(
      "hosts are ahead of the records: a has 3.9 with other content than these records sent",
    );
    expect(describeStop({ ...stop, reason: "restored", claims: [] })).toBe(
      `the records were restored at ${restored.at} from a backup of ${restored.takenAt}`,
    );
    expect(describeStop({ ...stop, reason: "hosts-ahead", claims: [] })).toBe("hosts were ahead of the records");
  });
});

const stoppedAt = "2026-01-01T00:10:00.000Z";
const before = "2026-01-01T00:00:00.000Z";

function host(node: string, more: Partial<HostFacts> = {}): HostFacts {
  const account = { has: { epoch: 1, number: 1 }, digest, receivedAt: stoppedAt };
  return { node, account, claim: null, sent: { epoch: 1, number: 1 }, ...more };
}

type HeardClaim = NonNullable<HostFacts["claim"]>;

function ahead(node: string, epoch: number, number: number, more: Partial<HeardClaim> = {}): HostFacts {
  const its: HeardClaim = {
    order: { epoch, number },
    digest,
    kind: "ahead",
    heardAt: stoppedAt,
    isLeftOut: false,
    ...more,
  };
  return host(node, { claim: its, account: null });
}

function plan(hosts: readonly HostFacts[], without: readonly string[] = [], more: Partial<RecoveryFacts> = {}) {
  return planRecovery({ stoppedAt, known: { epoch: 2, number: 4 }, hosts, ...more }, new Set(without));
}

describe("a recovery (R35)", () => {
  it("goes above the records where no host has more", () => {
    expect(plan([host("node-a")])).toMatchObject({ kind: "ready", epoch: 3, number: 4 });
  });

  it("goes above epoch and number of every host, each wherever it is highest", () => {
    expect(plan([ahead("node-a", 7, 5), ahead("node-b", 2, 90)])).toMatchObject({ epoch: 8, number: 90 });
  });

  it("is not kept back by a host that was heard, and has nothing", () => {
    const account = { has: null, digest: null, receivedAt: stoppedAt };
    expect(plan([host("node-a", { account, sent: null })])).toMatchObject({ kind: "ready", epoch: 3, number: 4 });
  });

  it("is kept back by a host that was not heard since the stop, until it is named", () => {
    const account = { has: null, digest: null, receivedAt: before };
    const hosts = [host("node-a"), host("node-b", { account }), host("node-c", { account: null })];
    expect(plan(hosts)).toMatchObject({ kind: "blocked", missing: ["node-b", "node-c"] });
    expect(plan(hosts, ["node-b"])).toMatchObject({ kind: "blocked", missing: ["node-c"] });
    expect(plan(hosts, ["node-b", "node-c"])).toMatchObject({ kind: "ready", number: 4 });
  });

  it("is not kept back by a host whose disk was put back: it is heard, though nothing that it says is kept", () => {
    const [to, heardAt] = [{ epoch: 1, number: 0 }, stoppedAt];
    const account = { has: { epoch: 1, number: 1 }, digest, receivedAt: before, reverted: { to, heardAt } };
    expect(plan([host("node-a", { account })])).toMatchObject({
      kind: "ready",
      hosts: [{ standing: "known", has: to, digest: null, heardAt }],
    });
    const old = { ...account, reverted: { to, heardAt: before } };
    expect(plan([host("node-a", { account: old })])).toMatchObject({ kind: "blocked", missing: ["node-a"] });
  });

  it("is kept back by a host that claims more than records can have lost, and never goes above it", () => {
    const hosts = [host("node-a"), ahead("node-b", 2, 4 + jumpLimits.numbers)];
    expect(plan(hosts)).toMatchObject({ kind: "blocked", tooFar: ["node-b"] });
    expect(plan(hosts, ["node-b"])).toMatchObject({ kind: "ready", epoch: 3, number: 4 });
  });

  const { epochs, numbers, ceiling } = jumpLimits;
  const full = { epoch: ceiling - 1, number: ceiling - 1 };
  it.each<[string, number, number, Partial<RecoveryFacts>, string]>([
    ["half of the epochs that hosts let pass", 2 + epochs / 2, 1, {}, "ahead"],
    ["one epoch more", 3 + epochs / 2, 1, {}, "too-far"],
    ["half of the numbers that hosts let pass", 2, 4 + numbers / 2, {}, "ahead"],
    ["one number more", 2, 5 + numbers / 2, {}, "too-far"],
    ["an order above the ceiling", ceiling, 1, { known: full }, "too-far"],
    ["a number above the ceiling", 2, ceiling + 1, { known: full }, "too-far"],
  ])("counts what records can have lost to its last unit: %s", (_what, epoch, number, more, standing) => {
    expect(plan([ahead("node-a", epoch, number)], [], more).hosts).toMatchObject([{ standing }]);
  });

  it("says of each host what it has, since when, and by whose word", () => {
    const fork = { ...ahead("node-b", 2, 4, { digest: other, kind: "fork" }), account: host("node-b").account };
    const known = host("node-a");
    expect(plan([fork, known]).hosts).toEqual([
      {
        node: "node-a",
        standing: "known",
        has: { epoch: 1, number: 1 },
        digest,
        heardAt: stoppedAt,
        sent: { epoch: 1, number: 1 },
        isLeftOut: false,
      },
      {
        node: "node-b",
        standing: "fork",
        has: { epoch: 2, number: 4 },
        digest: other,
        heardAt: stoppedAt,
        sent: { epoch: 1, number: 1 },
        isLeftOut: false,
      },
    ]);
  });

  it("is kept back by a claim from before the stop: the host may have gone on since", () => {
    expect(plan([ahead("node-a", 2, 9, { heardAt: before })])).toMatchObject({
      kind: "blocked",
      missing: ["node-a"],
      tooFar: [],
    });
  });

  it("does not go above a host that was left out before, and does not ask for it again", () => {
    expect(plan([ahead("node-a", 7, 9, { isLeftOut: true })])).toMatchObject({
      kind: "ready",
      epoch: 3,
      number: 4,
      hosts: [{ isLeftOut: true }],
    });
  });

  it("leaves no host out whose word is known, also where it is named", () => {
    expect(plan([host("node-a")], ["node-a"]).hosts).toMatchObject([{ standing: "known", isLeftOut: false }]);
  });

  it("believes the claim of a host that said something known at the same moment", () => {
    const account = { has: { epoch: 1, number: 1 }, digest, receivedAt: stoppedAt };
    expect(plan([{ ...ahead("node-a", 3, 9), account }])).toMatchObject({ kind: "ready", epoch: 4, number: 9 });
  });

  it("does not believe what a host claimed once it has said something newer that is known", () => {
    const said = { has: { epoch: 1, number: 1 }, digest, receivedAt: "2026-01-01T00:11:00.000Z" };
    const hosts = [{ ...ahead("node-a", 9, 9), account: said }];
    expect(plan(hosts)).toMatchObject({ kind: "ready", epoch: 3, hosts: [{ standing: "known" }] });
  });

  it("has nothing to do where the mesh is not stopped", () => {
    expect(plan([host("node-a")], [], { stoppedAt: null }).kind).toBe("not-stopped");
  });

  it("is above everything that any believed host has, and every host takes what comes after it", () => {
    const order = fc.record({
      epoch: fc.integer({ min: 1, max: jumpLimits.epochs / 2 }),
      number: fc.integer({ min: 1, max: jumpLimits.numbers / 2 }),
    });
    fc.assert(
      fc.property(fc.array(order, { minLength: 1, maxLength: 5 }), (orders) => {
        const found = plan(orders.map(({ epoch, number }, at) => ahead(`node-${at}`, epoch, number)));
        if (found.kind !== "ready") throw new Error(`it is ${found.kind}`);
        const next = { epoch: found.epoch + 1, number: found.number + 1 };
        for (const has of orders) {
          expect(compareOrder(next, has)).toBeGreaterThan(0);
          expect(acceptAfter(has, next)).toEqual({ kind: "accept" });
        }
      }),
    );
  });
});

function acceptAfter(has: Order, next: Order): Acceptance {
  const its = { mesh: "example", node: "node-a", incarnation: "host-node-a", limits: { resources: 2 } };
  const have = { order: has, digest, incarnation: "host-node-a" };
  return acceptDeclaration({ ...its, have, offered: buildDeclaration(next) });
}
