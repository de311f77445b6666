import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { decodeBase64 } from "../base64.ts";

/** How a forge signs: which header, and what that header must be for a body under one secret. */
type Scheme = {
  readonly header: string;
  readonly isGood: (given: string, body: Uint8Array, secret: string, request: SignedRequest) => boolean;
};
export type SignedRequest = { readonly headers: IncomingHttpHeaders; readonly nowMs: number };

/** Standard Webhooks sign their time; older than this is a replay. */
const standardWindowMs = 5 * 60 * 1000;

/**
 * First that is present decides. Forges are told apart by their signature's header only: Gitea and Forgejo also send
 * `X-GitHub-Event`, and a copy of their signature as GitHub's.
 */
const schemes: readonly Scheme[] = [
  { header: "x-forgejo-signature", isGood: (given, body, secret) => isHexHmac(given, body, secret) },
  { header: "x-gitea-signature", isGood: (given, body, secret) => isHexHmac(given, body, secret) },
  {
    header: "x-hub-signature-256",
    isGood: (given, body, secret) => given.startsWith("sha256=") && isHexHmac(given.slice(7), body, secret),
  },
  { header: "webhook-signature", isGood: isStandardSignature },
  { header: "x-gitlab-token", isGood: (given, _body, secret) => isSame(hash(given), hash(secret)) },
];

/** Whether there is a signature to look at, before the body is read. */
export function hasWebhookSignature(headers: IncomingHttpHeaders): boolean {
  return schemes.some(({ header }) => readHeader(headers, header) !== null);
}

/** `secrets`: any of them, so that one can be replaced without losing a delivery. */
export function isWebhookSigned(request: SignedRequest, body: Uint8Array, secrets: readonly string[]): boolean {
  for (const scheme of schemes) {
    const given = readHeader(request.headers, scheme.header);
    if (given === null) continue;
    return secrets.some((secret) => secret !== "" && scheme.isGood(given, body, secret, request));
  }
  return false;
}

const deliveryHeaders = [
  "x-forgejo-delivery",
  "x-gitea-delivery",
  "x-github-delivery",
  "webhook-id",
  "idempotency-key",
  "x-gitlab-event-uuid",
];

/** The forge's id of this delivery; null: it has none that can be kept. */
export function readDeliveryId(headers: IncomingHttpHeaders): string | null {
  for (const header of deliveryHeaders) {
    const id = readHeader(headers, header);
    if (id !== null) return /^[\x21-\x7e]{1,200}$/.test(id) ? id : null;
  }
  return null;
}

function isHexHmac(given: string, body: Uint8Array, secret: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(given)) return false;
  return isSame(Buffer.from(given, "hex"), createHmac("sha256", secret).update(body).digest());
}

function isStandardSignature(given: string, body: Uint8Array, secret: string, request: SignedRequest): boolean {
  const id = readHeader(request.headers, "webhook-id");
  const seconds = readHeader(request.headers, "webhook-timestamp");
  if (id === null || seconds === null || !/^[0-9]{1,12}$/.test(seconds)) return false;
  if (Math.abs(request.nowMs - Number(seconds) * 1000) > standardWindowMs) return false;
  const key = secret.startsWith("whsec_") ? decodeBase64(secret.slice(6)) : Buffer.from(secret, "utf8");
  if (key === null) return false;
  const expected = createHmac("sha256", key).update(`${id}.${seconds}.`).update(body).digest();
  return given.split(" ").some((part) => {
    const signature = part.startsWith("v1,") ? decodeBase64(part.slice(3)) : null;
    return signature !== null && isSame(signature, expected);
  });
}

/** `timingSafeEqual` throws on unequal lengths. */
function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

function readHeader(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : null;
}
