import { createPublicKey, verify, type KeyObject } from "node:crypto";
import { decodeBase64 } from "./base64.ts";

/** 2^255 − 19, little end first, as the 32 bytes of a key hold it. */
const fieldPrime = Buffer.from(`ed${"ff".repeat(30)}7f`, "hex");

/**
 * y of the 8 points of small order, sign bit cleared (two signs for each but y = ±1). `node:crypto` accepts them,
 * and under y = 1 one signature fits every message.
 */
const smallOrderY = [
  `01${"00".repeat(31)}`,
  `ec${"ff".repeat(30)}7f`,
  "00".repeat(32),
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
];

/** Why a raw public key in base64 cannot be used: wrong length, not canonical, of small order. Null: it can. */
export function whyBadPublicKey(publicKey: string): string | null {
  const raw = decodeBase64(publicKey);
  if (raw === null) return "the key is not base64";
  if (raw.length !== 32) return "the key is not 32 bytes of Ed25519";
  const y = Buffer.from(raw);
  y[31] = (y[31] ?? 0) & 0x7f;
  if (smallOrderY.includes(y.toString("hex"))) return "the key is a point of small order";
  // Above the prime there is a second spelling of some points, small ones among them.
  if (Buffer.compare(y.toReversed(), fieldPrime.toReversed()) >= 0) return "the key is not a canonical point";
  return null;
}

/** Whether the key signed the message. A key that cannot be used has signed nothing. */
export function verifySignature(publicKey: string, message: Uint8Array, signature: Uint8Array): boolean {
  if (whyBadPublicKey(publicKey) !== null || signature.byteLength !== 64) return false;
  return verify(null, message, toKeyObject(publicKey), signature);
}

function toKeyObject(publicKey: string): KeyObject {
  const x = Buffer.from(publicKey, "base64").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}
