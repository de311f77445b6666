import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareOrder } from "../../src/decide/order.ts";
import { type PastRecord, pruneBoundsOf, whyStays } from "../../src/decide/plan-prune.ts";

const bounds = { keepMs: 1_000, last: 3 };
const order = fc.record({ epoch: fc.integer({ min: 1, max: 3 }), number: fc.integer({ min: 0, max: 6 }) });
const host = fc.constantFrom("host-1", "host-2");
const age = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 2_000 }));

const declaration = fc.record({
  kind: fc.constant("declarations" as const),
  ageMs: fc.integer({ min: 0, max: 2_000 }),
  isAmongLast: fc.boolean(),
  order,
  incarnation: host,
  enrolled: fc.option(host),
  account: fc.option(fc.record({ incarnation: host, order })),
  claim: fc.option(order),
  isOpen: fc.boolean(),
});

const build = fc.record({
  kind: fc.constant("builds" as const),
  ageMs: age,
  isAmongLast: fc.boolean(),
  isWanted: fc.boolean(),
  hasArtifact: fc.boolean(),
  hasProvenance: fc.boolean(),
  isAsked: fc.boolean(),
});

const other: fc.Arbitrary<PastRecord> = fc.oneof(
  fc.record({ kind: fc.constant("told" as const), ageMs: age, hasDeclaration: fc.boolean(), isLast: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("targets" as const, "boxes" as const, "tokens" as const), ageMs: age }),
  fc.record({
    kind: fc.constant("pushes" as const),
    ageMs: age,
    isAmongLast: fc.boolean(),
    hasTold: fc.boolean(),
    hasTargets: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("waves" as const), ageMs: age, isAmongLast: fc.boolean() }),
  fc.record({ kind: fc.constant("checks" as const), ageMs: age, hasArtifact: fc.boolean() }),
  fc.record({
    kind: fc.constant("artifacts" as const),
    ageMs: age,
    hasBuild: fc.boolean(),
    hasProvenance: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("provisions" as const),
    ageMs: age,
    isHighest: fc.boolean(),
    hasBoxes: fc.boolean(),
    isOpen: fc.boolean(),
  }),
);

describe("what may be pruned", () => {
  it("is nothing young, and nothing that goes on", () => {
    fc.assert(
      fc.property(fc.oneof(declaration, build, other), (record) => {
        if (whyStays(record, bounds) !== null) return;
        expect(record.ageMs).not.toBeNull();
        expect(record.ageMs).toBeGreaterThanOrEqual(bounds.keepMs);
      }),
    );
  });

  it("is no declaration that its host may have, or that a push under way sent (R35, R38)", () => {
    fc.assert(
      fc.property(declaration, (sent) => {
        if (whyStays(sent, bounds) !== null) return;
        expect(sent.isAmongLast || sent.isOpen).toBe(false);
        const { account } = sent;
        // Either it reported a later one, or another host has its place, and its word counts no more.
        if (account?.incarnation === sent.incarnation) expect(compareOrder(sent.order, account.order)).toBeLessThan(0);
        else expect(sent.enrolled).not.toBe(sent.incarnation);
      }),
    );
  });

  it("is every old declaration that its host left behind: the records do not grow without end", () => {
    fc.assert(
      fc.property(declaration, ({ claim: _claim, ...sent }) => {
        const left = { epoch: sent.order.epoch, number: sent.order.number + 1 };
        const account = { incarnation: sent.incarnation, order: left };
        const record = { ...sent, claim: null, account, ageMs: bounds.keepMs, isAmongLast: false, isOpen: false };
        expect(whyStays(record, bounds)).toBeNull();
      }),
    );
  });

  it("is no build that is wanted, whose artifact or provenance is there, or that somebody asked for (R8, R9)", () => {
    fc.assert(
      fc.property(build, (record) => {
        if (whyStays(record, bounds) !== null) return;
        const { isAmongLast, isWanted, hasArtifact, hasProvenance, isAsked } = record;
        expect([isAmongLast, isWanted, hasArtifact, hasProvenance, isAsked]).not.toContain(true);
      }),
    );
  });

  it("is nothing that another record refers to, and no highest version of a credential", () => {
    fc.assert(
      fc.property(other, (record) => {
        if (whyStays(record, bounds) !== null) return;
        const { kind: _kind, ageMs: _age, ...needs } = record;
        expect(Object.values(needs)).not.toContain(true);
      }),
    );
  });

  it("is what is older than 90 days and not among the last 20, where nobody says otherwise", () => {
    expect(pruneBoundsOf({})).toEqual({ keepMs: 90 * 86_400_000, last: 20 });
    expect(pruneBoundsOf({ days: 1 })).toEqual({ keepMs: 86_400_000, last: 20 });
  });
});
