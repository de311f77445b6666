import { describe, expect, it } from "vitest";
import { signEnvelope } from "../../src/link/envelope.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { createRoot, declarationKeysAt, verifyRoot, whyExpired, type Root } from "../../src/link/root.ts";
import {
  DAY,
  declarationKey,
  expiredKey,
  futureKey,
  HOUR,
  isoAt,
  makeRoot,
  REFERENCE,
  rootEntry,
  rootKey,
  strangerKey,
} from "./support/fixtures.ts";

const sign = (root: unknown, keys = [rootKey]) => signEnvelope("root", Buffer.from(JSON.stringify(root)), keys);
const smallOrder = { ...rootEntry(rootKey, "root"), publicKey: Buffer.alloc(32).toString("base64") };

describe("root", () => {
  it("is created, and verified by a host that enrols", () => {
    expect(verifyRoot(createRoot(makeRoot(), [rootKey]), { mesh: "demo" })).toEqual({ ok: true, root: makeRoot() });
  });

  it.each([
    ["signed by a stranger", sign(makeRoot(), [strangerKey]), "key"],
    ["signed by its declaration key only", sign(makeRoot(), [declarationKey]), "key"],
    ["signed by fewer than its threshold", sign(makeRoot({ threshold: 2 })), "signature"],
    ["signed twice by one key", sign(makeRoot({ threshold: 2 }), [rootKey, rootKey]), "signature"],
    ["of another mesh", sign(makeRoot({ mesh: "other" })), "mesh"],
    ["with a key of small order", sign(makeRoot({ keys: [...makeRoot().keys, smallOrder] })), "key"],
    ["with a key listed twice", sign(makeRoot({ keys: [...makeRoot().keys, ...makeRoot().keys] })), "key"],
    ["with a threshold of nought", sign({ ...makeRoot(), threshold: 0 }), "schema"],
    ["without keys", sign({ ...makeRoot(), keys: [] }), "schema"],
    ["that is a declaration", signEnvelope("declaration", Buffer.from("{}"), [rootKey]), "envelope"],
  ])("is refused: %s", (_name, bytes, check) => {
    expect(verifyRoot(bytes, { mesh: "demo" })).toMatchObject({ ok: false, check });
  });

  it("counts two of three root keys", () => {
    const second = generateSigningKey();
    const third = generateSigningKey();
    const root: Root = makeRoot({
      threshold: 2,
      keys: [...makeRoot().keys, rootEntry(second, "root"), rootEntry(third, "root")],
    });
    expect(verifyRoot(sign(root, [third, rootKey]), { mesh: "demo" }).ok).toBe(true);
    expect(verifyRoot(sign(root, [third, declarationKey]), { mesh: "demo" }).ok).toBe(false);
  });

  it("is not created without enough signers", () => {
    expect(() => createRoot(makeRoot({ threshold: 2 }), [rootKey])).toThrow(/hosts would refuse root 1/);
  });

  it("tells apart why a key may not sign a declaration now", () => {
    const keys = declarationKeysAt(makeRoot(), REFERENCE);
    expect(keys.valid).toEqual([declarationKey.publicKey]);
    expect(keys.whyNot(declarationKey.keyId)).toBeNull();
    expect(keys.whyNot(rootKey.keyId)).toContain("another role");
    expect(keys.whyNot(expiredKey.keyId)).toContain("expired");
    expect(keys.whyNot(futureKey.keyId)).toContain("not valid before");
    expect(keys.whyNot(strangerKey.keyId)).toContain("not in the root");
  });

  it("lets a key end at its moment, not a millisecond before", () => {
    const endMs = REFERENCE + DAY;
    expect(declarationKeysAt(makeRoot(), endMs).whyNot(declarationKey.keyId)).toBeNull();
    expect(declarationKeysAt(makeRoot(), endMs + 1).whyNot(declarationKey.keyId)).toContain("expired");
    expect(declarationKeysAt(makeRoot(), REFERENCE + HOUR).whyNot(futureKey.keyId)).toBeNull();
  });

  it("counts to the last moment of its own end, and for ever where it names none", () => {
    const root = makeRoot({ version: 4, expiresAt: isoAt(REFERENCE) });
    expect(whyExpired(root, REFERENCE)).toBeNull();
    expect(whyExpired(root, REFERENCE + 1)).toBe(`root 4 expired at ${isoAt(REFERENCE)}`);
    expect(whyExpired(makeRoot(), REFERENCE + 10_000 * DAY)).toBeNull();
  });

  it("is of whichever mesh it says where nobody asked for one, and no larger than the limit", () => {
    const bytes = sign(makeRoot({ mesh: "other" }));
    expect(verifyRoot(bytes, {})).toMatchObject({ ok: true, root: { mesh: "other" } });
    const limits = { envelopeBytes: bytes.byteLength - 1, depth: 32 };
    expect(verifyRoot(bytes, { limits })).toMatchObject({ ok: false, check: "size" });
  });
});
