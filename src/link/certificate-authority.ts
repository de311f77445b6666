// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 needs it to be there first
import "reflect-metadata";
import { createPrivateKey, createPublicKey, randomBytes, webcrypto, X509Certificate } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { InputError } from "../core/errors.ts";

/** PEM texts; the caller stores them, `keyPem` as a secret. */
export type Certificate = { readonly certPem: string; readonly keyPem: string };

const dayMs = 24 * 60 * 60 * 1000;
/** Hosts pin the authority at enrolment, and get another one only by enrolling again. */
const authorityDays = 3650;
const serverDays = 90;
/** A server certificate is renewed a third of its life before its end, so that a controller off for weeks is in time. */
const renewBeforeDays = 30;
/** Machines' clocks differ: what is issued is valid a little earlier. */
const backdateMs = dayMs;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** The mesh's own authority: P-256, ten years. */
export async function createCertificateAuthority(options: {
  readonly mesh: string;
  readonly nowMs: number;
}): Promise<Certificate> {
  return await signItself(`CN=mesh ${options.mesh}`, await generateKeys(), options.nowMs);
}

/** The same authority, key and name, with a later end: what it issues is good for hosts that pin either. */
export async function extendCertificateAuthority(authority: Certificate, nowMs: number): Promise<Certificate> {
  const { subject } = new x509.X509Certificate(authority.certPem);
  return await signItself(subject, await importKeys(authority.keyPem), nowMs);
}

async function signItself(name: string, keys: webcrypto.CryptoKeyPair, nowMs: number): Promise<Certificate> {
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name,
    ...validity(nowMs, authorityDays),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certPem: certificate.toString("pem"), keyPem: await exportKey(keys.privateKey) };
}

/** A server certificate for DNS names and IP addresses: P-256, 90 days. */
export async function issueServerCertificate(
  authority: Certificate,
  options: { readonly names: readonly string[]; readonly addresses: readonly string[]; readonly nowMs: number },
): Promise<Certificate> {
  const subjects = [
    ...options.names.map((value) => ({ type: "dns" as const, value })),
    ...options.addresses.map((value) => ({ type: "ip" as const, value })),
  ];
  if (subjects.length === 0)
    throw new InputError("a server certificate needs a name or an address", "Say under which address hosts reach it.");
  const issuer = new x509.X509Certificate(authority.certPem);
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: "CN=mesh gateway",
    issuer: issuer.subject,
    ...validity(options.nowMs, serverDays),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.keyPem),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(subjects),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certPem: certificate.toString("pem"), keyPem: await exportKey(keys.privateKey) };
}

export type WantedCertificate = {
  /** Its certificate; null: it is not known here, and not asked about. */
  readonly authorityPem: string | null;
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly nowMs: number;
};

/** Why hosts would refuse a server certificate now: another authority's, not of this time, or without a name. Null: they take it. */
export function whyRefuseCertificate(certPem: string, wanted: WantedCertificate): string | null {
  const server = new X509Certificate(certPem);
  if (wanted.authorityPem !== null && !server.verify(new X509Certificate(wanted.authorityPem).publicKey))
    return "it is another authority's";
  const { beginsMs, endsMs } = lifeOf(certPem);
  if (endsMs <= wanted.nowMs) return `it ended at ${iso(endsMs)}`;
  if (beginsMs > wanted.nowMs) return `it is not valid before ${iso(beginsMs)}`;
  const lacking =
    wanted.names.find((name) => server.checkHost(name) === undefined) ??
    wanted.addresses.find((address) => server.checkIP(address) === undefined);
  return lacking === undefined ? null : `it is not for ${lacking}`;
}

/** Why a new server certificate is needed: it is refused, or near its end. Null: it is not. */
export function whyRenewCertificate(certPem: string, wanted: WantedCertificate): string | null {
  const { endsMs } = lifeOf(certPem);
  const isNear = endsMs - wanted.nowMs < renewBeforeDays * dayMs;
  return whyRefuseCertificate(certPem, wanted) ?? (isNear ? `it ends at ${iso(endsMs)}` : null);
}

export function lifeOf(certPem: string): { readonly beginsMs: number; readonly endsMs: number } {
  const { validFrom, validTo } = new X509Certificate(certPem);
  return { beginsMs: Date.parse(validFrom), endsMs: Date.parse(validTo) };
}

/** When one that was made here was made. */
export function madeAtMs(certPem: string): number {
  return lifeOf(certPem).beginsMs + backdateMs;
}

/** What a server certificate is for. */
export function subjectsOf(certPem: string): {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
} {
  const extension = new x509.X509Certificate(certPem).getExtension(x509.SubjectAlternativeNameExtension);
  const items = extension?.names.items ?? [];
  const ofType = (wanted: string): string[] => items.filter(({ type }) => type === wanted).map(({ value }) => value);
  return { names: ofType("dns"), addresses: ofType("ip") };
}

/** Whether the key is that of the certificate. What is no certificate, or no key, does not belong to anything. */
export function belongTogether({ certPem, keyPem }: Certificate): boolean {
  try {
    return new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
  } catch {
    // absence is the answer: whether they are a pair is the question
    return false;
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  return webcrypto.subtle.importKey("pkcs8", der, algorithm, true, ["sign"]);
}

async function importKeys(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const der = createPublicKey(pem).export({ type: "spki", format: "der" });
  const publicKey = await webcrypto.subtle.importKey("spki", der, algorithm, true, ["verify"]);
  return { privateKey: await importKey(pem), publicKey };
}

function validity(nowMs: number, days: number): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(nowMs - backdateMs), notAfter: new Date(nowMs + days * dayMs) };
}

/** Positive (first byte 01…7f), as RFC 5280 wants it. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes.toString("hex");
}
