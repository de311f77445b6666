import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { secretSchema, type Secret } from "../core/declaration.ts";
import { InputError } from "../core/errors.ts";
import { decodeBase64 } from "./base64.ts";
import { parseSignedJson } from "./parse-signed-json.ts";

/** `identity` is the secret half (AGE-SECRET-KEY-1…), `recipient` the public one (age1…). */
export type SealIdentity = { readonly identity: string; readonly recipient: string };
export type OpenedBox =
  | { readonly ok: true; readonly secret: Secret }
  | { readonly ok: false; readonly check: "seal"; readonly message: string };

/** A box is at most what `sealedBoxSchema` lets through. */
const boxCharacters = 8192;

export async function generateSealIdentity(): Promise<SealIdentity> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** The public half of an identity. Throws InputError when it is none; the message does not hold it. */
export async function recipientOf(identity: string): Promise<string> {
  try {
    return await identityToRecipient(identity);
  } catch {
    // No cause: what the library says may quote the secret key.
    throw new InputError("the sealing key is no age identity", "Restore it from a copy, or enrol this node again.");
  }
}

/**
 * Why nothing can be sealed to a recipient: not spelled as one, or of small order, which only sealing shows. Null: it can.
 * Asked before a key is kept: in the records a bad one would fail each push that seals to it, other nodes' with it.
 */
export async function whyBadRecipient(recipient: string): Promise<string | null> {
  try {
    await sealTo(recipient, "");
    return null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `nothing can be sealed to the sealing key: ${why}`;
  }
}

/** Throws where the recipient is none: some of them only when something is sealed to them. */
async function sealTo(recipient: string, text: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return await encrypter.encrypt(text);
}

/**
 * base64 of an age file that only the recipient can open. Randomised: seal once per version and recipient.
 * age binds no context, so node, provision and version are in the plaintext and checked by `openBox`.
 */
export async function sealSecret(secret: Secret, recipient: string): Promise<string> {
  let sealed: Uint8Array;
  try {
    sealed = await sealTo(recipient, JSON.stringify(secret));
  } catch (error) {
    throw new InputError(`node ${secret.node} has no usable sealing key`, "Enrol this node again.", { cause: error });
  }
  const box = Buffer.from(sealed).toString("base64");
  if (box.length > boxCharacters) throw new InputError(`the credentials of ${secret.provision} are too long to seal`);
  return box;
}

/** Never throws for a bad box, and no message ever holds what is in it. */
export async function openBox(
  box: string,
  identity: string,
  expected: { readonly node: string; readonly provision: string; readonly version: number },
): Promise<OpenedBox> {
  const bytes = box.length > boxCharacters ? null : decodeBase64(box);
  if (bytes === null) return refuse(`the box of ${expected.provision} is not base64, or too long`);
  let plaintext: Uint8Array;
  try {
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    plaintext = await decrypter.decrypt(bytes);
  } catch {
    // The cause is kept out on purpose: it may hold what was opened so far.
    return refuse(`the box of ${expected.provision} was not sealed to this host's key, or is damaged`);
  }
  const json = parseSignedJson(plaintext, { bytes: boxCharacters, depth: 2 });
  const parsed = json.ok ? secretSchema.safeParse(json.value) : null;
  if (!parsed?.success) return refuse(`the box of ${expected.provision} holds no credentials`);
  for (const member of ["node", "provision", "version"] as const)
    if (parsed.data[member] !== expected[member])
      return refuse(`the box of ${expected.provision} is for another ${member}`);
  return { ok: true, secret: parsed.data };
}

function refuse(message: string): OpenedBox {
  return { ok: false, check: "seal", message };
}
