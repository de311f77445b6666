import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import type { Resource } from "../../src/core/resource.ts";
import { openDeclaration, sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { signEnvelope } from "../../src/link/envelope.ts";
import { incarnationOf, type SigningKey } from "../../src/link/keys.ts";
import { textFile } from "../support/host-bed.ts";
import {
  declarationKey,
  expiredKey,
  futureKey,
  hostKey,
  makeDeclaration,
  makeRoot,
  REFERENCE,
  rootEntry,
  rootKey,
  strangerKey,
} from "./support/fixtures.ts";

const mine = {
  root: makeRoot(),
  mesh: "demo",
  node: "node-a",
  incarnation: incarnationOf(hostKey.publicKey),
  nowMs: REFERENCE,
};
const sealed = (changes = {}, key: SigningKey = declarationKey) => sealDeclaration(makeDeclaration(changes), [key]);
const signedText = (text: string) => signEnvelope("declaration", Buffer.from(text), [declarationKey]);

/** `01 00…00`: node:crypto takes it, and one signature fits every message under it. */
const smallOrderKey = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString("base64");

describe("declaration envelope", () => {
  it("opens what was sealed for this node", () => {
    const declaration = makeDeclaration();
    expect(openDeclaration(sealDeclaration(declaration, [declarationKey]), mine)).toEqual({
      ok: true,
      declaration,
      keyIds: [declarationKey.keyId],
    });
  });

  it.each([
    ["another mesh", sealed({ mesh: "other" }), "mesh", "mesh other"],
    ["another node", sealed({ node: "node-b" }), "node", "node node-b"],
    ["another node's content", sealed({ content: { node: "node-b", builds: {}, resources: [] } }), "node", "content"],
    ["an earlier life of this node", sealed({ incarnation: "0000" }), "incarnation", "incarnation"],
    ["content under another digest", sealed({ digest: `sha256:${"0".repeat(64)}` }), "digest", "digest"],
    ["an expired key", sealed({}, expiredKey), "key", "expired"],
    ["a key that is not valid yet", sealed({}, futureKey), "key", "not valid before"],
    ["a key of another role", sealed({}, rootKey), "key", "another role (root)"],
    ["a key nobody knows", sealed({}, strangerKey), "key", "not known here"],
    [
      "another kind of document",
      signEnvelope("report", Buffer.from("{}"), [declarationKey]),
      "envelope",
      "another payload type",
    ],
    ["a body of 100 MB", Buffer.alloc(100 * 1024 * 1024, "a"), "size", "more than"],
    ["JSON two million deep", signedText("[".repeat(2_000_000) + "]".repeat(2_000_000)), "schema", "deeper"],
    ["a key twice", signedText('{"mesh":"demo","mesh":"demo"}'), "schema", "twice"],
    ["a body that is none", signedText("{}"), "schema", "does not fit"],
    ["a body with __proto__", signedText('{"__proto__":{}}'), "schema", "__proto__"],
  ])("refuses %s, with its own reason (R43, case 45)", (_name, bytes, check, message) => {
    expect(openDeclaration(bytes, mine)).toMatchObject({ ok: false, check, message: expect.stringContaining(message) });
  });

  it("names of those who signed only whose key is good for it now", () => {
    const bytes = sealDeclaration(makeDeclaration(), [expiredKey, declarationKey, rootKey, strangerKey]);
    expect(openDeclaration(bytes, mine)).toMatchObject({ ok: true, keyIds: [declarationKey.keyId] });
  });

  it("refuses to believe a small-order key, under which one signature fits every message (case 45)", () => {
    const root = makeRoot({ keys: [{ ...rootEntry(declarationKey, "declaration"), publicKey: smallOrderKey }] });
    expect(openDeclaration(sealed(), { ...mine, root })).toMatchObject({
      check: "key",
      message: expect.stringContaining("small order"),
    });
  });

  it("says which order was offered only when the signature was good", () => {
    expect(openDeclaration(sealed({ node: "node-b" }), mine)).toMatchObject({ offered: { epoch: 3, number: 7 } });
    expect(openDeclaration(sealed({}, strangerKey), mine)).toMatchObject({ offered: null });
  });

  it("refuses one flipped bit at every position (case 45)", { timeout: 60_000 }, () => {
    const bytes = sealed();
    const accepted: number[] = [];
    const checks = new Set<string>();
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const result = openDeclaration(flipped, mine);
      if (result.ok) accepted.push(bit);
      else checks.add(result.check);
    }
    expect(accepted).toEqual([]);
    expect([...checks].toSorted()).toEqual(["envelope", "key", "signature"]);
  });

  it("refuses to send what hosts would refuse to read", () => {
    expect(() => sealDeclaration(makeDeclaration(), [declarationKey], { envelopeBytes: 100, depth: 32 })).toThrow(
      /hosts accept 100/,
    );
  });

  it("says what would make it smaller: other modules, or another provider for some of its consumers", () => {
    const adviceFor = (resources: readonly Resource[], boxes: number): string | undefined => {
      const held = Array.from({ length: boxes }, (_, at) => ({
        provision: `p${at}`,
        version: 1,
        box: "b".repeat(500),
      }));
      try {
        const content = { node: "node-a", builds: {}, resources: [...resources] };
        sealDeclaration(makeDeclaration({ content, sealed: held }), [declarationKey], {
          envelopeBytes: 100,
          depth: 32,
        });
      } catch (error) {
        if (error instanceof InputError) return error.next;
        throw error;
      }
      return undefined;
    };
    const files = Array.from({ length: 20 }, (_, at) => textFile(`f${at}`, "x".repeat(500)));
    const grants = Array.from({ length: 20 }, (_, at) => ({
      provision: `p${at}`,
      version: 1,
      name: `p${at}`,
      consumer: { node: "node-c", module: "web", requirement: "database" },
    }));
    const grant: Resource = {
      id: "grant/postgres/postgresql",
      module: "postgres",
      after: [],
      kind: "grant",
      provider: "postgresql",
      endpoint: { host: "node-a", port: 5432 },
      admin: "127.0.0.1:5432",
      adminUser: "postgres",
      adminPasswordFile: "data/postgres/admin",
      grants,
    };
    expect(adviceFor([...files, grant], 2)).toMatch(/^Assign fewer modules to this node/);
    expect(adviceFor([grant], 20)).toBe(
      "It provides for 20 consumers: add a provider on another node, and assign some of them with --provider to it.",
    );
  });

  it("keeps members it does not know out, and the bytes as they are", () => {
    const bytes = signedText(JSON.stringify({ ...makeDeclaration(), later: "feature" }));
    expect(openDeclaration(bytes, mine)).toMatchObject({ ok: true, declaration: makeDeclaration() });
  });
});
