import { describe, expect, it } from "vitest";
import type { Content, Declaration } from "../../src/core/declaration.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { openDeclaration, sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { signEnvelope } from "../../src/link/envelope.ts";
import { generateSigningKey, incarnationOf } from "../../src/link/keys.ts";
import { openReport } from "../../src/link/report-envelope.ts";
import { createRoot, verifyRoot, type Root, type RootKey } from "../../src/link/root.ts";
import { changedEnvelopes, hostileBodies } from "./envelopes.ts";
import { expectRefusal, type Refusal } from "./expect-refusal.ts";

const nowMs = Date.parse("2026-01-01T00:00:00.000Z");
const rootKey = generateSigningKey();
const declarationKey = generateSigningKey();
const hostKey = generateSigningKey();
const strangerKey = generateSigningKey();
const incarnation = incarnationOf(hostKey.publicKey);

const validity = { notBefore: "2025-01-01T00:00:00.000Z", notAfter: "2027-01-01T00:00:00.000Z" };
const root: Root = {
  schema: 1,
  mesh: "m",
  version: 1,
  threshold: 1,
  keys: [
    { publicKey: rootKey.publicKey, roles: ["root"], ...validity },
    { publicKey: declarationKey.publicKey, roles: ["declaration"], ...validity },
  ],
};

const content: Content = { node: "n", builds: {}, resources: [] };
const declaration: Declaration = {
  schema: 1,
  mesh: "m",
  node: "n",
  incarnation,
  epoch: 1,
  number: 1,
  issuedAt: "2026-01-01T00:00:00.000Z",
  staleAfter: "2026-01-02T00:00:00.000Z",
  digest: digestValue(content),
  content,
  sealed: [],
};
const good = sealDeclaration(declaration, [declarationKey]);

const open = (bytes: Uint8Array, at = nowMs, keys: readonly RootKey[] = root.keys): Refusal => {
  const result = openDeclaration(bytes, {
    root: { ...root, keys: [...keys] },
    mesh: "m",
    node: "n",
    incarnation,
    nowMs: at,
  });
  return result.ok ? null : { message: `${result.check}: ${result.message}` };
};
const change = (members: Partial<Declaration>): Buffer =>
  sealDeclaration({ ...declaration, ...members }, [declarationKey]);
const signText = (body: string): Buffer => signEnvelope("declaration", Buffer.from(body, "utf8"), [declarationKey]);
const body = JSON.stringify(declaration);

describe("hostile declarations (case 45)", () => {
  it("lets the good one through, or the rest would show nothing", () => {
    expect(open(good)).toBeNull();
  });

  it.each([...hostileBodies, ...changedEnvelopes(good)])("refuses %s", (_, bytes) => expectRefusal(() => open(bytes)));

  it.each([
    ["for another mesh", change({ mesh: "other" })],
    ["for another node", change({ node: "other" })],
    ["with another node's content", change({ content: { ...content, node: "other" } })],
    ["for another incarnation", change({ incarnation: "0000000000000000" })],
    ["with another digest", change({ digest: `sha256:${"0".repeat(64)}` })],
    ["of another schema", change({ schema: 2 as 1 })],
    ["signed by a stranger", sealDeclaration(declaration, [strangerKey])],
    ["signed by the root key, which has another role", sealDeclaration(declaration, [rootKey])],
    ["signed as a report", signEnvelope("report", Buffer.from(body), [declarationKey])],
    ["with a member twice in the signed body", signText(body.replace("{", '{"node":"other",'))],
    ["with a prototype in the signed body", signText(body.replace("{", '{"__proto__":{"node":"n"},'))],
    ["with an unsafe number", signText(body.replace('"number":1', '"number":9007199254740993'))],
    ["with a fraction for a number", signText(body.replace('"number":1', '"number":1.5'))],
    ["with a million levels in the signed body", signText("[".repeat(1_000_000))],
    ["with no JSON in the signed body", signText("hello")],
  ])("refuses one %s", (_, bytes) => expectRefusal(() => open(bytes)));

  it("refuses one whose key has expired, and one whose key is not valid yet, each by its reason", async () => {
    await expectRefusal(() => open(good, Date.parse("2027-06-01T00:00:00.000Z")));
    await expectRefusal(() => open(good, Date.parse("2024-06-01T00:00:00.000Z")));
    expect(open(good, Date.parse("2027-06-01T00:00:00.000Z"))?.message).toContain("expired");
  });

  it("refuses everything under a root that lists a small-order key", async () => {
    const small = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString("base64");
    const keys: RootKey[] = [...root.keys, { publicKey: small, roles: ["declaration"], ...validity }];
    await expectRefusal(() => open(good, nowMs, keys));
  });
});

describe("hostile reports (case 45, 39)", () => {
  const refuse = (bytes: Uint8Array): Refusal => {
    const result = openReport(bytes, { mesh: "m", node: "n", signKey: hostKey.publicKey });
    return result.ok ? null : { message: `${result.check}: ${result.message}` };
  };
  it.each(hostileBodies)("refuses %s", (_, bytes) => expectRefusal(() => refuse(bytes)));
  it("refuses a declaration as a report", () => expectRefusal(() => refuse(good)));
  it("refuses one that another host forged", () => {
    const report = { schema: 1, mesh: "m", node: "n", incarnation };
    return expectRefusal(() => refuse(signEnvelope("report", Buffer.from(JSON.stringify(report)), [strangerKey])));
  });
});

describe("hostile roots (case 45)", () => {
  const goodRoot = createRoot(root, [rootKey]);
  const refuse = (bytes: Uint8Array): Refusal => {
    const result = verifyRoot(bytes, { mesh: "m" });
    return result.ok ? null : { message: `${result.check}: ${result.message}` };
  };
  const signRoot = (members: object, key = rootKey): Buffer =>
    signEnvelope("root", Buffer.from(JSON.stringify({ ...root, ...members })), [key]);

  it("lets the good one through", () => expect(refuse(goodRoot)).toBeNull());
  it.each([...hostileBodies, ...changedEnvelopes(goodRoot).filter(([what]) => what !== "another payload type")])(
    "refuses %s",
    (_, bytes) => expectRefusal(() => refuse(bytes)),
  );
  it.each([
    ["of another mesh", signRoot({ mesh: "other" })],
    ["signed by a key without the role", signRoot({}, declarationKey)],
    ["signed by nobody it lists", signRoot({}, strangerKey)],
    ["with a threshold it does not reach", signRoot({ threshold: 2 })],
    ["with a threshold of none", signRoot({ threshold: 0 })],
    ["with one key twice", signRoot({ keys: [...root.keys, ...root.keys] })],
    ["without keys", signRoot({ keys: [] })],
  ])("refuses one %s", (_, bytes) => expectRefusal(() => refuse(bytes)));
});
