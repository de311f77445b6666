import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Recovery } from "../../src/core/recovery.ts";
import { signEnvelope } from "../../src/link/envelope.ts";
import { generateSigningKey, type SigningKey } from "../../src/link/keys.ts";
import { openRecovery, readRecoveryDraft, signRecovery, writeRecovery } from "../../src/link/recovery-envelope.ts";
import { DAY, declarationKey, HOUR, isoAt, makeRoot, REFERENCE, rootEntry, strangerKey } from "./support/fixtures.ts";

const [a, b, c] = [generateSigningKey(), generateSigningKey(), generateSigningKey()] as const;
const ended = generateSigningKey();
/** Three root keys, two of which must sign; one that has ended, and a declaration key. */
const root = makeRoot({
  threshold: 2,
  keys: [
    ...[a, b, c].map((key) => rootEntry(key, "root")),
    rootEntry(ended, "root", REFERENCE - DAY, REFERENCE - HOUR),
    rootEntry(declarationKey, "declaration"),
  ],
});
const recovery: Recovery = {
  schema: 1,
  mesh: "demo",
  node: "node-a",
  incarnation: "45ce8fd3452264e8",
  replaces: { epoch: 900_001, number: 7 },
  to: { epoch: 3, number: 41 },
  issuedAt: isoAt(REFERENCE),
  expiresAt: isoAt(REFERENCE + DAY),
};
const open = (bytes: Uint8Array, by = root) => openRecovery(bytes, { root: by, nowMs: REFERENCE });
const signed = (body: unknown, keys: readonly SigningKey[]): Buffer =>
  signEnvelope("recovery", Buffer.from(JSON.stringify(body)), keys);

describe("a recovery document, by two of three root keys (R35)", () => {
  it.each([
    ["a and b", [a, b]],
    ["c and a", [c, a]],
    ["all three", [a, b, c]],
    ["two and a stranger", [strangerKey, b, c]],
  ])("opens when signed by %s", (_name, keys) => {
    expect(open(writeRecovery(recovery, keys))).toMatchObject({ ok: true, recovery });
  });

  it.each<[string, readonly SigningKey[], string, string]>([
    ["nobody", [], "envelope", "nobody has signed"],
    ["one", [a], "signature", "1 good signatures of root keys, of 2"],
    ["one, twice", [a, a], "signature", "1 good signatures of root keys, of 2"],
    ["one and one that has ended", [a, ended], "signature", "expired"],
    ["one and the declaration key", [a, declarationKey], "signature", "another role (declaration)"],
    ["the declaration key", [declarationKey], "key", "another role (declaration)"],
    ["strangers", [strangerKey, generateSigningKey()], "key", "not known here"],
  ])("is refused when signed by %s", (_name, keys, check, words) => {
    expect(open(writeRecovery(recovery, keys))).toMatchObject({
      ok: false,
      check,
      message: expect.stringContaining(words),
    });
  });

  it("is refused at each flipped bit", () => {
    const bytes = writeRecovery(recovery, [a, b]);
    const taken: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if (open(flipped).ok) taken.push(bit);
    }
    expect(bytes.length).toBeGreaterThan(500);
    expect(taken).toEqual([]);
  });

  it("is refused as a document of another kind, and by a root that has expired", () => {
    const body = Buffer.from(JSON.stringify(recovery));
    for (const kind of ["root", "declaration", "report", "provenance"] as const)
      expect(open(signEnvelope(kind, body, [a, b]))).toMatchObject({ ok: false, check: "envelope" });
    const over = { ...root, expiresAt: isoAt(REFERENCE - 1) };
    expect(open(writeRecovery(recovery, [a, b]), over)).toMatchObject({ ok: false, check: "key" });
  });

  it.each<[string, object]>([
    ["of another version", { schema: 2 }],
    ["with a member too many", { also: "this" }],
    ["to nought", { to: { epoch: 0, number: 0 } }],
    ["from half a number", { replaces: { epoch: 1.5, number: 1 } }],
    ["with a time that is none", { expiresAt: "2026-02-30T00:00:00.000Z" }],
    ["with a time that is not written as ours", { expiresAt: "2026-03-02T12:00Z" }],
  ])("is refused %s", (_name, changes) => {
    expect(open(signed({ ...recovery, ...changes }, [a, b]))).toMatchObject({ ok: false, check: "schema" });
  });

  it("is refused unread when it is larger than any is", () => {
    const bytes = signed({ ...recovery, also: "x".repeat(70_000) }, [a, b]);
    expect(open(bytes)).toMatchObject({ ok: false, check: "size" });
  });

  it("goes from hand to hand, and counts each key once", () => {
    const draft = writeRecovery(recovery);
    expect(readRecoveryDraft(draft, root, REFERENCE)).toEqual({ recovery, signedBy: [] });
    const one = signRecovery(draft, c);
    expect(signRecovery(one, c)).toEqual(one);
    expect(open(one).ok).toBe(false);
    const two = signRecovery(one, a);
    expect(readRecoveryDraft(two, root, REFERENCE).signedBy).toEqual([a.keyId, c.keyId]);
    expect(open(two).ok).toBe(true);
    // Known to the root, and not to the count.
    expect(readRecoveryDraft(signRecovery(one, ended), root, REFERENCE).signedBy).toEqual([c.keyId]);
  });

  it("is not made, and not signed, where every host would refuse it", () => {
    const up = { ...recovery, to: { epoch: 900_001, number: 8 } };
    expect(() => writeRecovery(up)).toThrow("not below");
    expect(() => signRecovery(signed(up, [a]), b)).toThrow("this is no recovery document");
  });

  it("survives whatever bytes it is given", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(open(bytes).ok).toBe(false);
        expect(() => signRecovery(bytes, a)).toThrow("this is no recovery document");
      }),
      { numRuns: 500 },
    );
  });
});
