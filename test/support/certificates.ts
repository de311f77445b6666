// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 needs it to be there first
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

/** PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends Pair {
  readonly keys: webcrypto.CryptoKeyPair;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 86_400_000;

export async function makeAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  return { keys, certificate: made.toString("pem"), key: await exportKey(keys) };
}

/** For one DNS name, both as a server's and as a client's; it ended yesterday where it is `ended`. */
export async function issue(authority: Authority, name: string, time: "valid" | "ended" = "valid"): Promise<Pair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const made = await x509.X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: new x509.X509Certificate(authority.certificate).subject,
    notBefore: new Date(Date.now() - 2 * dayMs),
    notAfter: new Date(Date.now() + (time === "valid" ? dayMs : -dayMs)),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }])],
  });
  return { certificate: made.toString("pem"), key: await exportKey(keys) };
}

async function exportKey(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
}
