import type { Declaration } from "../../../src/core/declaration.ts";
import type { Report } from "../../../src/core/report.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { generateSigningKey, incarnationOf, type SigningKey } from "../../../src/link/keys.ts";
import type { Root, RootRole } from "../../../src/link/root.ts";

/** Time is a variable: everything here happens around this moment. */
export const REFERENCE = Date.parse("2026-03-01T12:00:00.000Z");
export const HOUR = 60 * 60 * 1000;
export const DAY = 24 * HOUR;

export function isoAt(ms: number): string {
  return new Date(ms).toISOString();
}

export const rootKey = generateSigningKey();
export const declarationKey = generateSigningKey();
export const expiredKey = generateSigningKey();
export const futureKey = generateSigningKey();
export const hostKey = generateSigningKey();
export const strangerKey = generateSigningKey();

/** Spelled as age recipients; nothing can be sealed to them: u = 0 and u = 1. */
export const smallOrderRecipients = [
  "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z",
  "age1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqj7vrya",
];

export function rootEntry(key: SigningKey, role: RootRole, fromMs = REFERENCE - DAY, toMs = REFERENCE + DAY) {
  return { publicKey: key.publicKey, roles: [role], notBefore: isoAt(fromMs), notAfter: isoAt(toMs) };
}

export function makeRoot(changes: Partial<Root> = {}): Root {
  return {
    schema: 1,
    mesh: "demo",
    version: 1,
    threshold: 1,
    keys: [
      rootEntry(rootKey, "root"),
      rootEntry(declarationKey, "declaration"),
      rootEntry(expiredKey, "declaration", REFERENCE - 2 * DAY, REFERENCE - HOUR),
      rootEntry(futureKey, "declaration", REFERENCE + HOUR, REFERENCE + 2 * DAY),
    ],
    ...changes,
  };
}

export function makeDeclaration(changes: Partial<Declaration> = {}): Declaration {
  const content = changes.content ?? { node: "node-a", builds: {}, resources: [] };
  return {
    schema: 1,
    mesh: "demo",
    node: "node-a",
    incarnation: incarnationOf(hostKey.publicKey),
    epoch: 3,
    number: 7,
    issuedAt: isoAt(REFERENCE),
    staleAfter: isoAt(REFERENCE + DAY),
    digest: digestValue(content),
    content,
    sealed: [],
    ...changes,
  };
}

export function makeReport(changes: Partial<Report> = {}): Report {
  return {
    schema: 1,
    mesh: "demo",
    node: "node-a",
    incarnation: incarnationOf(hostKey.publicKey),
    has: { epoch: 3, number: 7 },
    digest: digestValue("content"),
    boot: 1,
    bootId: "boot-1",
    sequence: 1,
    at: isoAt(REFERENCE),
    lastWordAt: isoAt(REFERENCE),
    outcome: "applied",
    resources: [],
    refusals: [],
    ...changes,
  };
}
