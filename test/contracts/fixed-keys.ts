import { createHash, createPrivateKey, createPublicKey } from "node:crypto";
import { keyIdOf, type SigningKey } from "../../src/link/keys.ts";

/** PKCS #8 in front of an Ed25519 seed. */
const head = Buffer.from("302e020100300506032b657004220420", "hex");

/** The same key at every run, so that what is signed with it is the same bytes. Of tests alone: its seed is its name. */
export function fixedKey(name: string): SigningKey {
  const seed = createHash("sha256").update(`a key of tests: ${name}`).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([head, seed]), format: "der", type: "pkcs8" });
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  const publicKey = Buffer.from(x ?? "", "base64url").toString("base64");
  return { keyId: keyIdOf(publicKey), publicKey, privateKey };
}

export const keys = {
  root: fixedKey("root"),
  declaration: fixedKey("declaration"),
  provenance: fixedKey("provenance"),
  host: fixedKey("host"),
} as const;

/** The moment at which golden messages are read. */
export const REFERENCE = Date.parse("2026-03-01T12:00:00.000Z");
