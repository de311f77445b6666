import { createHash, randomBytes, sign } from "node:crypto";
import { namePattern } from "../core/names.ts";
import { decodeBase64 } from "./base64.ts";
import type { SigningKey } from "./keys.ts";
import { verifySignature } from "./public-key.ts";
import type { ReplayGuard } from "./replay-guard.ts";

export const proofHeader = "mesh-proof";
/** The SHA-256 of the body, in hex, beside the proof: with it the signature can be checked before the body is read. */
export const bodyDigestHeader = "mesh-body-sha256";
/** How far the two clocks may be apart. */
export const proofWindowMs = 60_000;

/** A proof as it was sent; nothing in it is believed before `checkProof`. */
export type Proof = {
  readonly node: string;
  readonly atMs: number;
  readonly nonce: string;
  readonly signature: Buffer;
};
export type ProofRefusal = "missing" | "malformed" | "clock" | "signature" | "replayed";

const proofPattern = /^v1\.([a-z][a-z0-9-]{0,62})\.([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{86})$/;

/** The header that shows possession of the host's key for exactly this request. `path` includes the query. */
export function makeProof(
  request: {
    readonly node: string;
    readonly method: string;
    readonly path: string;
    readonly body: Uint8Array;
    readonly nowMs: number;
  },
  key: SigningKey,
): string {
  const nonce = randomBytes(16).toString("base64url");
  const message = signedText({ ...request, bodyDigest: digestBody(request.body), atMs: request.nowMs, nonce });
  const signature = sign(null, message, key.privateKey).toString("base64url");
  return `v1.${request.node}.${request.nowMs}.${nonce}.${signature}`;
}

export function readProof(
  header: string | undefined,
): { readonly ok: true; readonly proof: Proof } | { readonly ok: false; readonly reason: ProofRefusal } {
  if (header === undefined) return { ok: false, reason: "missing" };
  const [, node, atMs, nonce, signatureText] = proofPattern.exec(header) ?? [];
  if (node === undefined || nonce === undefined || signatureText === undefined)
    return { ok: false, reason: "malformed" };
  const signature = decodeBase64(signatureText, "base64url");
  if (signature === null || !namePattern.test(node)) return { ok: false, reason: "malformed" };
  return { ok: true, proof: { node, atMs: Number(atMs), nonce, signature } };
}

/** Can be asked before the body was read. */
export function isInProofWindow(proof: Proof, nowMs: number): boolean {
  return Math.abs(nowMs - proof.atMs) <= proofWindowMs;
}

export type ProvenRequest = {
  readonly method: string;
  readonly path: string;
  readonly publicKey: string;
  readonly nowMs: number;
};
type Checked = { readonly ok: true } | { readonly ok: false; readonly reason: ProofRefusal };

/** The nonce is used up only by a proof that is good in every other way: strangers cannot fill the guard. */
export function checkProof(
  proof: Proof,
  request: ProvenRequest & { readonly body: Uint8Array },
  guard: ReplayGuard,
): Checked {
  const head = checkProofHead(proof, { ...request, bodyDigest: digestBody(request.body) });
  return head.ok ? admitProof(proof, request.nowMs, guard) : head;
}

/** All but the nonce, for a body of this digest: whether that is the one that comes is asked once it is there. */
export function checkProofHead(proof: Proof, request: ProvenRequest & { readonly bodyDigest: string }): Checked {
  if (!isInProofWindow(proof, request.nowMs)) return { ok: false, reason: "clock" };
  return isSigned(proof, request) ? { ok: true } : { ok: false, reason: "signature" };
}

/** Whoever has the key made it, whenever that was. */
export function isSigned(
  proof: Proof,
  request: Omit<ProvenRequest, "nowMs"> & { readonly bodyDigest: string },
): boolean {
  const message = signedText({ ...request, atMs: proof.atMs, nonce: proof.nonce });
  return verifySignature(request.publicKey, message, proof.signature);
}

/** Uses up the nonce of a proof that was found good. */
export function admitProof(proof: Proof, nowMs: number, guard: ReplayGuard): Checked {
  return guard.admit(proof.node, proof.nonce, nowMs) ? { ok: true } : { ok: false, reason: "replayed" };
}

export function digestBody(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

function signedText(request: {
  readonly method: string;
  readonly path: string;
  readonly bodyDigest: string;
  readonly atMs: number;
  readonly nonce: string;
}): Buffer {
  const { method, path, bodyDigest, atMs, nonce } = request;
  return Buffer.from(["mesh-proof-v1", method, path, bodyDigest, String(atMs), nonce].join("\n"), "utf8");
}
