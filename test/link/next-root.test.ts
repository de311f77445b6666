import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signEnvelope } from "../../src/link/envelope.ts";
import { generateSigningKey, type SigningKey } from "../../src/link/keys.ts";
import { verifyNextRoot } from "../../src/link/next-root.ts";
import { openByRootKeys, whyExpired, type Root } from "../../src/link/root.ts";
import { DAY, HOUR, isoAt, makeRoot, REFERENCE, rootEntry } from "./support/fixtures.ts";

/** Root keys of the root that is here (a, b, c) and of the next one (x, y, z). */
const key = Object.fromEntries(["a", "b", "c", "x", "y", "z", "s"].map((name) => [name, generateSigningKey()]));
const keysOf = (names: string): SigningKey[] =>
  [...names].map((name) => {
    const found = key[name];
    if (found === undefined) throw new Error(`no key ${name}`);
    return found;
  });
const declaring = rootEntry(generateSigningKey(), "declaration");

function rootOf(version: number, threshold: number, names: string, changes: Partial<Root> = {}): Root {
  const keys = [...keysOf(names).map((one) => rootEntry(one, "root")), declaring];
  return makeRoot({ version, threshold, keys, ...changes });
}
const signed = (root: unknown, names: string): Buffer =>
  signEnvelope("root", Buffer.from(JSON.stringify(root)), keysOf(names));

describe("the next root: who must have signed it (rotation table)", () => {
  // before: keys, threshold; after: keys, threshold; signers → taken, or why not.
  it.each<[string, number, string, number, string, string]>([
    ["a", 1, "a", 1, "a", "taken"],
    ["a", 1, "a", 1, "s", "key"],
    ["a", 1, "x", 1, "ax", "taken"],
    ["a", 1, "x", 1, "x", "threshold-before"],
    ["a", 1, "x", 1, "a", "key"],
    ["a", 1, "ax", 1, "a", "taken"],
    ["a", 1, "ax", 2, "ax", "taken"],
    ["a", 1, "ax", 2, "a", "signature"],
    ["a", 1, "ax", 2, "aa", "signature"],
    ["abc", 2, "abc", 2, "ab", "taken"],
    ["abc", 2, "abc", 2, "ca", "taken"],
    ["abc", 2, "abc", 2, "bc", "taken"],
    ["abc", 2, "abc", 2, "abcs", "taken"],
    ["abc", 2, "abc", 2, "b", "signature"],
    ["abc", 2, "abc", 2, "bb", "signature"],
    ["abc", 2, "abc", 2, "bs", "signature"],
    ["abc", 2, "abc", 1, "b", "threshold-before"],
    ["abc", 2, "abc", 1, "bc", "taken"],
    ["abc", 2, "abc", 3, "bc", "signature"],
    ["abc", 2, "abc", 3, "abc", "taken"],
    ["abc", 2, "xyz", 2, "xy", "threshold-before"],
    ["abc", 2, "xyz", 2, "ab", "key"],
    ["abc", 2, "xyz", 2, "axy", "threshold-before"],
    ["abc", 2, "xyz", 2, "abx", "signature"],
    ["abc", 2, "xyz", 2, "bcyz", "taken"],
    ["abc", 2, "abx", 2, "ab", "taken"],
    ["abc", 2, "abx", 2, "ax", "threshold-before"],
    ["abcxyz", 3, "abcxyz", 3, "xbz", "taken"],
    ["abcxyz", 3, "abcxyz", 3, "xb", "signature"],
  ])("%s of %i, then %s of %i, signed by %s: %s", (before, k, after, next, signers, outcome) => {
    const result = verifyNextRoot(signed(rootOf(2, next, after), signers), { have: rootOf(1, k, before) });
    expect(result.ok ? "taken" : result.reason).toBe(outcome);
  });

  it("does not mind a bad signature among enough good ones", () => {
    const envelope = JSON.parse(signed(rootOf(2, 2, "abc"), "abc").toString()) as { signatures: { sig: string }[] };
    const [first] = envelope.signatures;
    if (first === undefined) throw new Error("unsigned");
    first.sig = Buffer.alloc(64).toString("base64");
    expect(verifyNextRoot(Buffer.from(JSON.stringify(envelope)), { have: rootOf(1, 2, "abc") }).ok).toBe(true);
  });

  it("counts root keys whose dates are over: an expired root must remain replaceable", () => {
    const old = { ...rootOf(1, 1, "a"), keys: keysOf("a").map((one) => rootEntry(one, "root", 0, DAY)) };
    expect(verifyNextRoot(signed(rootOf(2, 1, "a"), "a"), { have: { ...old, expiresAt: isoAt(DAY) } }).ok).toBe(true);
  });
});

describe("the next root: what else is refused, each for its own reason", () => {
  const have = rootOf(7, 2, "abc");
  const smallOrder = { ...declaring, publicKey: Buffer.alloc(32).toString("base64") };
  it.each([
    ["the one that is here", rootOf(7, 2, "abc"), "lower"],
    ["a lower version", rootOf(6, 2, "abc"), "lower"],
    ["a gap", rootOf(9, 2, "abc"), "gap"],
    ["another mesh's", rootOf(8, 2, "abc", { mesh: "other" }), "mesh"],
    [
      "one with a key of small order",
      { ...rootOf(8, 2, "abc"), keys: [...rootOf(8, 2, "abc").keys, smallOrder] },
      "key",
    ],
    ["one with a key listed twice", { ...rootOf(8, 2, "abc"), keys: [...rootOf(8, 2, "abc").keys, declaring] }, "key"],
    ["version nought", { ...rootOf(8, 2, "abc"), version: 0 }, "schema"],
    ["a version that is no safe number", { ...rootOf(8, 2, "abc"), version: 2 ** 60 }, "schema"],
    ["an unknown role", { ...rootOf(8, 2, "abc"), keys: [{ ...declaring, roles: ["operator"] }] }, "schema"],
  ])("%s", (_name, root, reason) => {
    expect(verifyNextRoot(signed(root, "abc"), { have })).toMatchObject({ ok: false, reason });
  });

  it("keeps members it does not know out, and takes the root", () => {
    const result = verifyNextRoot(signed({ ...rootOf(8, 2, "abc"), later: "feature" }, "ab"), { have });
    expect(result).toEqual({ ok: true, root: rootOf(8, 2, "abc") });
  });

  it("refuses one flipped bit at every position (case 45)", { timeout: 120_000 }, () => {
    const bytes = signed(rootOf(8, 2, "abc"), "ab");
    const taken: number[] = [];
    const reasons = new Set<string>();
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const result = verifyNextRoot(flipped, { have });
      if (result.ok) taken.push(bit);
      else reasons.add(result.reason);
    }
    expect(taken).toEqual([]);
    expect([...reasons].toSorted()).toEqual(expect.arrayContaining(["envelope", "signature"]));
  });

  it("answers rubbish with a reason, and never throws (case 45)", () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.json().map((text) => signEnvelope("root", Buffer.from(text), keysOf("ab"))),
      fc
        .record({ version: fc.anything(), threshold: fc.anything(), keys: fc.anything(), mesh: fc.anything() })
        .map((members) => JSON.stringify({ ...rootOf(8, 2, "abc"), ...members }))
        .map((text) => signEnvelope("root", Buffer.from(text), keysOf("ab"))),
      fc
        .tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 20 }))
        .map(([at, bytes]) => splice(signed(rootOf(8, 2, "abc"), "ab"), at, bytes)),
    );
    fc.assert(
      fc.property(anything, (bytes) => {
        const result = verifyNextRoot(bytes, { have });
        if (result.ok) throw new Error("it was taken");
        return result.message.length > 0;
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("documents of another kind that root keys sign together", () => {
  const expired = rootEntry(keysOf("c")[0] ?? generateSigningKey(), "root", REFERENCE - DAY, REFERENCE - HOUR);
  const root = { ...rootOf(3, 2, "ab"), keys: [...rootOf(3, 2, "ab").keys, expired] };
  const body = Buffer.from("{}");
  const open = (names: string) =>
    openByRootKeys(signEnvelope("report", body, keysOf(names)), { root, kind: "report", nowMs: REFERENCE });

  it("opens what the threshold of them has signed", () => {
    expect(open("ba")).toMatchObject({ ok: true, keyIds: keysOf("ab").map(({ keyId }) => keyId) });
  });

  it.each([
    ["one of two", "a", "signature", "1 good signatures of root keys, of 2"],
    ["one and an expired one", "ac", "signature", "expired"],
    ["an expired one only", "c", "key", "expired"],
    ["a stranger", "s", "key", "not known here"],
  ])("refuses %s", (_name, names, check, words) => {
    expect(open(names)).toMatchObject({ ok: false, check, message: expect.stringContaining(words) });
  });

  it("refuses a declaration key in a root key's place", () => {
    const signer = generateSigningKey();
    const listed = { ...root, threshold: 1, keys: [...root.keys, rootEntry(signer, "declaration")] };
    const bytes = signEnvelope("report", body, [signer]);
    expect(openByRootKeys(bytes, { root: listed, kind: "report", nowMs: REFERENCE })).toMatchObject({
      check: "key",
      message: expect.stringContaining("another role (declaration)"),
    });
  });
});

describe("a root's own end", () => {
  it("is at its moment, not a millisecond before, and never where none is said", () => {
    const root = rootOf(1, 1, "a", { expiresAt: isoAt(REFERENCE) });
    expect(whyExpired(root, REFERENCE)).toBeNull();
    expect(whyExpired(root, REFERENCE + 1)).toContain("root 1 expired");
    expect(whyExpired(rootOf(1, 1, "a"), REFERENCE + 1_000 * DAY)).toBeNull();
  });
});

function splice(bytes: Buffer, at: number, piece: Uint8Array): Buffer {
  const place = at % bytes.length;
  const changed = Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place + piece.length)]);
  // The same bytes again would rightly be taken.
  return changed.equals(bytes) ? Buffer.alloc(0) : changed;
}
