import { InputError } from "../core/errors.ts";
import { addSignature, findSigners, readUnverifiedBody, signEnvelope } from "./envelope.ts";
import { keyIdOf, type SigningKey } from "./keys.ts";
import { defaultLinkLimits, rootBytesLimit } from "./limits.ts";
import { parseBody } from "./parse-body.ts";
import { whyBadPublicKey } from "./public-key.ts";
import { rootKeysOf, rootSchema, type Root } from "./root.ts";

/** A root on its way from one holder of a root key to the next: the document, and who has signed it so far. */
export interface RootDraft {
  readonly root: Root;
  /** Public keys whose signatures are good, of those that were asked about. */
  readonly signedBy: readonly string[];
}

/** The document in the envelope in which it will travel, signed by nobody or by those given. */
export function writeDraft(root: Root, signers: readonly SigningKey[] = []): Buffer {
  const why = whyUnusable(root);
  if (why !== null) throw new InputError(`hosts would refuse root ${root.version}: ${why}`);
  return signEnvelope("root", Buffer.from(JSON.stringify(root), "utf8"), signers);
}

/** Throws InputError for what can never become a root. `mayHaveSigned`: raw public keys in base64. */
export function readDraft(bytes: Uint8Array, mayHaveSigned: readonly string[]): RootDraft {
  const { read, root } = readParts(bytes);
  const asked = [...new Set([...mayHaveSigned, ...rootKeysOf(root)])];
  const keyIds = new Set(findSigners(read.envelope, read.body, asked));
  return { root, signedBy: asked.filter((key) => keyIds.has(keyIdOf(key))) };
}

/** The draft with this key's signature; the same bytes where it has signed already. */
export function signDraft(bytes: Uint8Array, key: SigningKey): Buffer {
  const { read } = readParts(bytes);
  if (findSigners(read.envelope, read.body, [key.publicKey]).length > 0) return Buffer.from(bytes);
  return addSignature("root", read, key);
}

function readParts(bytes: Uint8Array) {
  if (bytes.byteLength > rootBytesLimit) throw bad(`it has ${bytes.byteLength} bytes, no root has so many`);
  const read = readUnverifiedBody(bytes, "root", defaultLinkLimits, "taken");
  if (!read.ok) throw bad(read.message);
  const parsed = parseBody(read.body, rootSchema, defaultLinkLimits);
  if (!parsed.ok) throw bad(parsed.message);
  const why = whyUnusable(parsed.value);
  if (why !== null) throw bad(why);
  return { read, root: parsed.value };
}

/** What no signature can mend; null: nothing. */
function whyUnusable(root: Root): string | null {
  const keys = root.keys.map(({ publicKey }) => publicKey);
  if (new Set(keys).size !== keys.length) return "a key is listed twice";
  for (const key of keys) {
    const why = whyBadPublicKey(key);
    if (why !== null) return `${why} (${keyIdOf(key)})`;
  }
  const rootKeys = rootKeysOf(root).length;
  if (rootKeys < root.threshold) return `${root.threshold} root keys must sign it, and it lists ${rootKeys}`;
  return null;
}

function bad(why: string): InputError {
  return new InputError(`this is no root document: ${why}`, "`mesh keys rotate` writes one.");
}
