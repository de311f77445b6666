import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Recovery } from "../../src/core/recovery.ts";
import { acceptDeclaration, type Mark } from "../../src/decide/accept-declaration.ts";
import { recoveryLimits, whyNoReset, whyUnusable, type ResetInput } from "../../src/decide/judge-reset.ts";
import { jumpLimits } from "../../src/decide/jump-limits.ts";
import { compareOrder } from "../../src/decide/order.ts";
import { DAY, isoAt, makeDeclaration, REFERENCE } from "../link/support/fixtures.ts";

const incarnation = makeDeclaration().incarnation;
const digest = `sha256:${"a".repeat(64)}`;
const jumped: Mark = { order: { epoch: 900_001, number: 7 }, digest, incarnation };
const offer = (changes: Partial<Recovery> = {}): Recovery => ({
  schema: 1,
  mesh: "demo",
  node: "node-a",
  incarnation,
  replaces: jumped.order,
  to: { epoch: 3, number: 6 },
  issuedAt: isoAt(REFERENCE),
  expiresAt: isoAt(REFERENCE + 7 * DAY),
  ...changes,
});
const judge = (changes: Partial<ResetInput> = {}) =>
  whyNoReset({
    have: jumped,
    mesh: "demo",
    node: "node-a",
    incarnation,
    offered: offer(),
    nowMs: REFERENCE,
    ...changes,
  });

describe("whether a host puts its mark back (R35)", () => {
  it("does by a document of its own, for the mark that it has, in its time", () => {
    expect(judge()).toBeNull();
  });

  it.each<[string, string, Partial<ResetInput>]>([
    ["of another mesh", "mesh", { offered: offer({ mesh: "other" }) }],
    ["for another node", "node", { offered: offer({ node: "node-b" }) }],
    ["for another host of that name", "incarnation", { offered: offer({ incarnation: "0123456789abcdef" }) }],
    ["where nothing was accepted", "no-mark", { have: null }],
    ["where the mark is another host's", "no-mark", { have: { ...jumped, incarnation: "0123456789abcdef" } }],
    ["for a lower mark", "mark", { offered: offer({ replaces: { epoch: 900_001, number: 6 } }) }],
    ["for a higher mark", "mark", { offered: offer({ replaces: { epoch: 900_001, number: 8 } }) }],
    ["for a mark of another epoch", "mark", { offered: offer({ replaces: { epoch: 900_002, number: 7 } }) }],
    ["that goes nowhere", "not-lower", { offered: offer({ to: jumped.order }) }],
    ["that goes up a number", "not-lower", { offered: offer({ to: { epoch: 900_001, number: 8 } }) }],
    ["that goes up an epoch", "not-lower", { offered: offer({ to: { epoch: 900_002, number: 1 } }) }],
    ["to an end", "too-high", { offered: offer({ to: { epoch: 3, number: jumpLimits.ceiling + 1 } }) }],
    [
      "to an epoch at the end",
      "too-high",
      {
        have: { ...jumped, order: { epoch: jumpLimits.ceiling + 2, number: 7 } },
        offered: offer({
          replaces: { epoch: jumpLimits.ceiling + 2, number: 7 },
          to: { epoch: jumpLimits.ceiling + 1, number: 6 },
        }),
      },
    ],
    ["that ends as it begins", "dates", { offered: offer({ expiresAt: isoAt(REFERENCE) }) }],
    ["that is good for too long", "too-long", { offered: offer({ expiresAt: isoAt(REFERENCE + 31 * DAY + 1) }) }],
    ["that has expired", "expired", { nowMs: REFERENCE + 7 * DAY + 1 }],
    ["that is to come", "not-yet", { nowMs: REFERENCE - recoveryLimits.clockSkewMs - 1 }],
  ])("refuses one %s: %s", (_name, check, changes) => {
    expect(judge(changes)?.check).toBe(check);
  });

  it("counts each bound to its last unit", () => {
    expect(judge({ nowMs: REFERENCE + 7 * DAY })).toBeNull();
    expect(judge({ nowMs: REFERENCE - recoveryLimits.clockSkewMs })).toBeNull();
    expect(judge({ offered: offer({ expiresAt: isoAt(REFERENCE + 31 * DAY) }) })).toBeNull();
    expect(judge({ offered: offer({ to: { epoch: 3, number: jumpLimits.ceiling } }) })).toBeNull();
    expect(judge({ offered: offer({ to: { epoch: 900_001, number: 6 } }) })).toBeNull();
  });

  it("never takes a document twice, and lets in what is above the new mark and nothing else", () => {
    const order = fc.record({ epoch: fc.integer({ min: 1, max: 9 }), number: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(order, order, order, (has, to, next) => {
        const offered = offer({ replaces: has, to });
        const first = judge({ have: { ...jumped, order: has }, offered });
        expect(first === null).toBe(compareOrder(to, has) < 0);
        if (first !== null) return;
        const have: Mark = { order: to, digest, incarnation };
        expect(judge({ have, offered })?.check).toBe("mark");
        const declaration = makeDeclaration(next);
        const mine = { mesh: "demo", node: "node-a", incarnation, limits: { resources: 1 } };
        const taken = acceptDeclaration({ ...mine, have, offered: declaration });
        expect(taken.kind === "accept").toBe(compareOrder(next, to) > 0);
      }),
      { numRuns: 1_000 },
    );
  });

  it("says of a document that no host would take so before anybody signs it", () => {
    expect(whyUnusable(offer())).toBeNull();
    expect(whyUnusable(offer({ to: jumped.order }))?.check).toBe("not-lower");
  });
});
