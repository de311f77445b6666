import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { InputError } from "../core/errors.ts";
import { readPrivateFile, writePrivateFile } from "../disk/private-file.ts";

/** An Ed25519 key that can sign. `publicKey` is the raw 32 bytes in base64. */
export type SigningKey = { readonly keyId: string; readonly publicKey: string; readonly privateKey: KeyObject };

export function generateSigningKey(): SigningKey {
  return toSigningKey(generateKeyPairSync("ed25519").privateKey);
}

/** PEM (PKCS #8), mode 0600, atomic. */
export async function saveSigningKey(file: string, key: SigningKey): Promise<void> {
  await writePrivateFile(file, key.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
}

/** Throws InputError when it is no Ed25519 key or others may read it, UnavailableError when it cannot be read. */
export async function loadSigningKey(file: string): Promise<SigningKey> {
  return readSigningKey(await readPrivateFile(file), file);
}

/** Throws InputError when the text, which comes from `file`, is no Ed25519 key in PEM. */
export function readSigningKey(pem: string, file: string): SigningKey {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch (error) {
    throw new InputError(`${file} holds no private key in PEM`, "Restore it from a copy.", { cause: error });
  }
  if (privateKey.asymmetricKeyType !== "ed25519") throw new InputError(`the key in ${file} is not Ed25519`);
  return toSigningKey(privateKey);
}

/**
 * First 16 hex digits of the sha256 of a raw public key (base64): a label for people, and on a signature the key's own
 * name, which must be right. What makes a signature count is the key itself.
 */
export function keyIdOf(publicKey: string): string {
  return createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex").slice(0, 16);
}

/** Names one life of a node: a machine that enrols with a new key is another incarnation. */
export function incarnationOf(publicKey: string): string {
  return keyIdOf(publicKey);
}

function toSigningKey(privateKey: KeyObject): SigningKey {
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  const publicKey = Buffer.from(x ?? "", "base64url").toString("base64");
  return { keyId: keyIdOf(publicKey), publicKey, privateKey };
}
