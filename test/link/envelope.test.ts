import { describe, expect, it } from "vitest";
import { payloadTypes } from "../../src/core/declaration.ts";
import { openEnvelope, preAuthenticationEncoding, signEnvelope } from "../../src/link/envelope.ts";
import { generateSigningKey } from "../../src/link/keys.ts";

const one = generateSigningKey();
const two = generateSigningKey();
const three = generateSigningKey();
const body = Buffer.from('{"a":1}');

function open(bytes: Uint8Array, signers = [one, two, three], threshold = 1) {
  return openEnvelope(bytes, { kind: "report", keys: signers.map(({ publicKey }) => publicKey), threshold });
}

type Written = { payload: string; payloadType: string; signatures: { keyid: string; sig: string }[] };
function rewrite(bytes: Buffer, change: (envelope: Written) => void): Buffer {
  const envelope: Written = JSON.parse(bytes.toString());
  change(envelope);
  return Buffer.from(JSON.stringify(envelope));
}

describe("envelope", () => {
  it("encodes the published vector of DSSE 1.0.2", () => {
    const encoded = preAuthenticationEncoding("http://example.com/HelloWorld", Buffer.from("hello world"));
    expect(encoded.toString()).toBe("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    expect(preAuthenticationEncoding("", Buffer.alloc(0)).toString()).toBe("DSSEv1 0  0 ");
    // Lengths are of bytes, not of characters.
    expect(preAuthenticationEncoding("é", Buffer.from("ß")).toString()).toBe("DSSEv1 2 é 2 ß");
  });

  it("gives back exactly the bytes that were signed, whatever they are", () => {
    const odd = Buffer.from([0, 255, 10, 13, 32, 34]);
    expect(open(signEnvelope("report", odd, [one]))).toEqual({ ok: true, body: odd, keyIds: [one.keyId] });
  });

  it.each([
    ["one of three, one signed", [one, two, three], 1, [two], true],
    ["two of three, any two", [one, two, three], 2, [three, one], true],
    ["two of three, one signed", [one, two, three], 2, [one], false],
    ["two of three, one signed twice", [one, two, three], 2, [one, one], false],
    ["two of three, the same key listed twice", [one, one, three], 2, [one, one], false],
    ["an extra signature by a stranger is ignored", [one], 1, [one, two], true],
    ["only a stranger", [one], 1, [two], false],
    ["threshold nought still needs one", [one], 0, [two], false],
  ])("counts different keys: %s", (_name, trusted, threshold, signers, ok) => {
    expect(open(signEnvelope("report", body, signers), trusted, threshold).ok).toBe(ok);
  });

  it("does not mind a bad signature among enough good ones", () => {
    const bytes = rewrite(signEnvelope("report", body, [one, two]), ({ signatures }) => {
      const [first] = signatures;
      if (first) first.sig = Buffer.alloc(64).toString("base64");
    });
    expect(open(bytes).ok).toBe(true);
    expect(open(bytes, [one, two], 2)).toMatchObject({ ok: false, check: "signature" });
  });

  it("lets a label decide nothing: a stranger's signature under a trusted label is not counted", () => {
    const bytes = rewrite(signEnvelope("report", body, [two]), ({ signatures }) => {
      const [first] = signatures;
      if (first) first.keyid = one.keyId;
    });
    expect(open(bytes, [one])).toMatchObject({ ok: false, check: "signature" });
  });

  it("never takes one kind for another", () => {
    const report = signEnvelope("report", body, [one]);
    expect(openEnvelope(report, { kind: "declaration", keys: [one.publicKey] })).toMatchObject({ check: "envelope" });
    const relabelled = rewrite(report, (envelope) => {
      envelope.payloadType = payloadTypes.declaration;
    });
    expect(openEnvelope(relabelled, { kind: "declaration", keys: [one.publicKey] })).toMatchObject({
      check: "signature",
    });
  });

  const good = signEnvelope("report", body, [one]);
  const text = good.toString();
  it.each([
    ["nothing", Buffer.alloc(0)],
    ["not JSON", Buffer.from("hello")],
    ["white space added", Buffer.from(` ${text}`)],
    ["a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good])],
    ["an escape for a letter", Buffer.from(text.replace('"payload"', '"p\\u0061yload"'))],
    ["a member more", Buffer.from(text.replace("{", '{"x":1,'))],
    ["a payload twice", Buffer.from(text.replace("{", '{"payload":"",'))],
    ["rubbish in base64", rewrite(good, (envelope) => (envelope.payload += "!!!!"))],
    [
      "base64 without its padding",
      rewrite(good, (envelope) => (envelope.payload = envelope.payload.replace(/=+$/, ""))),
    ],
    ["no signatures", rewrite(good, (envelope) => (envelope.signatures = []))],
    ["__proto__", Buffer.from(text.replace("{", '{"__proto__":{},'))],
    ["a list", Buffer.from("[]")],
    ["null", Buffer.from("null")],
  ])("refuses an envelope that is not spelled as ours: %s", (_name, bytes) => {
    expect(open(bytes)).toMatchObject({ ok: false, check: "envelope" });
  });

  it("refuses by size before it looks at anything", () => {
    expect(openEnvelope(good, { kind: "report", keys: [], limits: { envelopeBytes: 10, depth: 3 } })).toMatchObject({
      check: "size",
    });
  });
});
