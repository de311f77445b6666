import { describe, expect, it } from "vitest";
import { openDeclaration, sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { incarnationOf } from "../../src/link/keys.ts";
import { renewSignature } from "../../src/link/renew-signature.ts";
import { dropEpoch } from "../../src/link/unordered-declaration.ts";
import { chooseKey } from "../../src/link/role-keys.ts";
import {
  DAY,
  declarationKey,
  expiredKey,
  futureKey,
  HOUR,
  hostKey,
  makeDeclaration,
  makeRoot,
  REFERENCE,
  rootEntry,
  strangerKey,
} from "./support/fixtures.ts";

const root = makeRoot();
const own = [declarationKey, expiredKey];
const renew = (bytes: Uint8Array) => renewSignature(bytes, { root, own, by: declarationKey, nowMs: REFERENCE });
const mine = { root, mesh: "demo", node: "node-a", incarnation: incarnationOf(hostKey.publicKey), nowMs: REFERENCE };

describe("a declaration whose key has ended", () => {
  it("is signed again by the present key where it was one of our own: same order, same digest", () => {
    const bytes = sealDeclaration(makeDeclaration(), [expiredKey]);
    expect(openDeclaration(bytes, mine)).toMatchObject({ ok: false, check: "key" });
    expect(openDeclaration(renew(bytes), mine)).toMatchObject({ ok: true, declaration: makeDeclaration() });
  });

  it.each([
    ["that is still good", sealDeclaration(makeDeclaration(), [declarationKey])],
    ["by a key that is not ours", sealDeclaration(makeDeclaration(), [strangerKey])],
    ["with a changed body", changed(sealDeclaration(makeDeclaration(), [expiredKey]))],
  ])("stays as it is: one %s", (_what, bytes) => {
    expect(renew(bytes)).toBe(bytes);
  });
});

describe("a declaration for a host that does not keep order (R37)", () => {
  it("is refused by one that does: its schema wants an epoch", () => {
    const bytes = dropEpoch(sealDeclaration(makeDeclaration(), [declarationKey]), { own, by: declarationKey });
    expect(openDeclaration(bytes, mine)).toMatchObject({ ok: false, check: "schema" });
  });

  it("is made of nothing that a stranger has signed", () => {
    const bytes = sealDeclaration(makeDeclaration(), [strangerKey]);
    expect(() => dropEpoch(bytes, { own, by: declarationKey })).toThrow(/no key of this controller/);
  });
});

describe("the key that signs", () => {
  it("is the newest of those that are here, that the root lists for the role, and that are good now", () => {
    const keys = [rootEntry(strangerKey, "declaration", REFERENCE - HOUR, REFERENCE + DAY), ...root.keys];
    const both = [declarationKey, strangerKey, expiredKey, futureKey];
    expect(chooseKey({ ...root, keys }, "declaration", both, REFERENCE)).toBe(strangerKey);
    expect(chooseKey(root, "declaration", both, REFERENCE)).toBe(declarationKey);
    expect(chooseKey(root, "declaration", [expiredKey, futureKey, strangerKey], REFERENCE)).toBeNull();
    expect(chooseKey(root, "provenance", both, REFERENCE)).toBeNull();
  });
});

function changed(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[30] = (copy[30] ?? 0) ^ 1;
  return copy;
}
