import type { Secret } from "../core/declaration.ts";

/** `identity` is the secret half (AGE-SECRET-KEY-1…), `recipient` the public one (age1…). */
export type SealIdentity = { readonly identity: string; readonly recipient: string };
export type OpenedBox =
  | { readonly ok: true; readonly secret: Secret }
  | { readonly ok: false; readonly check: "seal"; readonly message: string };

export async function generateSealIdentity(): Promise<SealIdentity> {
  throw new Error("not written yet");
}

/** The public half of an identity. */
export async function recipientOf(_identity: string): Promise<string> {
  throw new Error("not written yet");
}

/** base64 of an age file that only the recipient can open. Randomised: seal once per version and recipient. */
export async function sealSecret(_secret: Secret, _recipient: string): Promise<string> {
  throw new Error("not written yet");
}

/** Never throws for a bad box, and no message ever holds what is in it. */
export async function openBox(
  _box: string,
  _identity: string,
  _expected: { readonly node: string; readonly provision: string; readonly version: number },
): Promise<OpenedBox> {
  throw new Error("not written yet");
}
