import { sign } from "node:crypto";
import { z } from "zod";
import { payloadTypes, type PayloadKind } from "../core/declaration.ts";
import type { RefusalCheck } from "../core/report.ts";
import { decodeBase64 } from "./base64.ts";
import { keyIdOf, type SigningKey } from "./keys.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { parseSignedJson } from "./parse-signed-json.ts";
import { verifySignature, whyBadPublicKey } from "./public-key.ts";

export type EnvelopeRefusal = { readonly ok: false; readonly check: RefusalCheck; readonly message: string };
export type OpenedEnvelope = { readonly ok: true; readonly body: Uint8Array; readonly keyIds: readonly string[] };

const envelopeSchema = z.strictObject({
  payload: z.string(),
  payloadType: z.string().max(200),
  signatures: z.array(z.strictObject({ keyid: z.string().max(200), sig: z.string().max(200) })).max(64),
});
type Envelope = z.infer<typeof envelopeSchema>;

/** An envelope is an object with a list of objects: nothing in it is deeper. */
const envelopeDepth = 3;

/** DSSE 1.0.2 pre-authentication encoding: what is signed, over exact bytes. */
export function preAuthenticationEncoding(payloadType: string, body: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${body.byteLength} `;
  return Buffer.concat([Buffer.from(head, "utf8"), body]);
}

/** Signs exact bytes with every key given. The result is what is stored, hashed and carried. */
export function signEnvelope(kind: PayloadKind, body: Uint8Array, keys: readonly SigningKey[]): Buffer {
  const payloadType = payloadTypes[kind];
  const message = preAuthenticationEncoding(payloadType, body);
  return writeEnvelope({
    payload: Buffer.from(body).toString("base64"),
    payloadType,
    signatures: keys.map((key) => ({
      keyid: key.keyId,
      sig: sign(null, message, key.privateKey).toString("base64"),
    })),
  });
}

/**
 * Gives the signed bytes out only when enough different keys of those given have signed them for this kind.
 * `keys`: raw public keys in base64. Every key is tried on every signature, so the label on a signature never
 * makes it count; one whose label is not its key's is not counted, so that no bit of an envelope can be changed.
 */
export function openEnvelope(
  bytes: Uint8Array,
  options: {
    readonly kind: PayloadKind;
    readonly keys: readonly string[];
    readonly threshold?: number;
    readonly limits?: LinkLimits;
  },
): OpenedEnvelope | EnvelopeRefusal {
  const { kind, keys, threshold = 1, limits = defaultLinkLimits } = options;
  const read = readUnverifiedBody(bytes, kind, limits);
  if (!read.ok) return read;
  const { envelope, body } = read;
  for (const key of keys) {
    const why = whyBadPublicKey(key);
    if (why !== null) return refuse("key", `${why} (${keyIdOf(key)})`);
  }
  const signers = findSigners(envelope, body, keys);
  if (signers.length >= Math.max(1, threshold)) return { ok: true, body, keyIds: signers };
  const known = new Set(keys.map(keyIdOf));
  if (!envelope.signatures.some(({ keyid }) => known.has(keyid)))
    return refuse("key", "signed by a key that is not known here");
  return refuse("signature", `${signers.length} good signatures of ${Math.max(1, threshold)} that are needed`);
}

/** Shape and kind are right; nobody has looked at a signature. For a root, which names the keys that sign it, and for what a host kept itself. */
export function readUnverifiedBody(
  bytes: Uint8Array,
  kind: PayloadKind,
  limits: LinkLimits,
  unsigned: "refused" | "taken" = "refused",
): { readonly ok: true; readonly envelope: Envelope; readonly body: Uint8Array } | EnvelopeRefusal {
  if (bytes.byteLength > limits.envelopeBytes)
    return refuse("size", `an envelope of ${bytes.byteLength} bytes, more than ${limits.envelopeBytes}`);
  const envelope = readEnvelope(bytes, limits);
  if (typeof envelope === "string") return refuse("envelope", envelope);
  if (envelope.signatures.length === 0 && unsigned === "refused") return refuse("envelope", "nobody has signed it");
  if (envelope.payloadType !== payloadTypes[kind])
    return refuse("envelope", `this is no ${kind}: another payload type`);
  const body = decodeBase64(envelope.payload);
  if (body === null) return refuse("envelope", "the payload is not strict base64");
  return { ok: true, envelope, body };
}

/** The same body with one more signature, by a key that has not signed it yet. The body is not looked at. */
export function addSignature(
  kind: PayloadKind,
  read: { envelope: Envelope; body: Uint8Array },
  key: SigningKey,
): Buffer {
  const { payload, payloadType, signatures } = read.envelope;
  const sig = sign(null, preAuthenticationEncoding(payloadTypes[kind], read.body), key.privateKey).toString("base64");
  return writeEnvelope({ payload, payloadType, signatures: [...signatures, { keyid: key.keyId, sig }] });
}

/** Key ids of the different keys that signed: a key that signed twice is one. */
export function findSigners(envelope: Envelope, body: Uint8Array, keys: readonly string[]): readonly string[] {
  const message = preAuthenticationEncoding(envelope.payloadType, body);
  return [...new Set(keys)]
    .filter((key) =>
      envelope.signatures.some(({ keyid, sig }) => {
        const signature = decodeBase64(sig);
        return signature !== null && keyid === keyIdOf(key) && verifySignature(key, message, signature);
      }),
    )
    .map(keyIdOf);
}

/** The envelope, or what is wrong with it. */
function readEnvelope(bytes: Uint8Array, limits: LinkLimits): Envelope | string {
  const json = parseSignedJson(bytes, { bytes: limits.envelopeBytes, depth: envelopeDepth });
  if (!json.ok) return `the envelope is ${json.message}`;
  const parsed = envelopeSchema.safeParse(json.value);
  if (!parsed.success) return "the envelope has other members than DSSE's";
  // One spelling only: else white space or an escape could differ between two copies of one envelope.
  if (!writeEnvelope(parsed.data).equals(bytes)) return "the envelope is not written as we write it";
  return parsed.data;
}

function writeEnvelope({ payload, payloadType, signatures }: Envelope): Buffer {
  const list = signatures.map(({ keyid, sig }) => ({ keyid, sig }));
  return Buffer.from(JSON.stringify({ payload, payloadType, signatures: list }), "utf8");
}

function refuse(check: RefusalCheck, message: string): EnvelopeRefusal {
  return { ok: false, check, message };
}
