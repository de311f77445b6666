import type { KeyObject } from "node:crypto";

/** An Ed25519 key that can sign. `publicKey` is the raw 32 bytes in base64. */
export type SigningKey = { readonly keyId: string; readonly publicKey: string; readonly privateKey: KeyObject };

export function generateSigningKey(): SigningKey {
  throw new Error("not written yet");
}

/** PEM (PKCS #8), mode 0600, atomic. */
export async function saveSigningKey(_file: string, _key: SigningKey): Promise<void> {
  throw new Error("not written yet");
}

/** Throws InputError when the file is no Ed25519 key or can be read by others, UnavailableError when it cannot be read. */
export async function loadSigningKey(_file: string): Promise<SigningKey> {
  throw new Error("not written yet");
}

/** First 16 hex digits of the sha256 of the raw public key (base64 in). */
export function keyIdOf(_publicKey: string): string {
  throw new Error("not written yet");
}

/** Names one life of a node: a machine that enrols with a new key is another incarnation. */
export function incarnationOf(publicKey: string): string {
  return keyIdOf(publicKey);
}

/** Why a raw public key in base64 cannot be used: wrong length, not canonical, of small order. Null: it can. */
export function whyBadPublicKey(_publicKey: string): string | null {
  throw new Error("not written yet");
}
