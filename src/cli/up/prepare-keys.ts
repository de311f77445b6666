import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeDurably } from "../../disk/write-durably.ts";
import {
  type Certificate,
  createCertificateAuthority,
  issueServerCertificate,
  whyRenewCertificate,
} from "../../link/certificate-authority.ts";
import type { SigningKey } from "../../link/keys.ts";
import { readPrivateFile, writePrivateFile } from "../../disk/private-file.ts";
import { createRoot, type RootKey } from "../../link/root.ts";
import { keepProvenanceKey, keepSigningKey, listLongKey } from "../keep-provenance-key.ts";
import { loopback, type UpParts } from "./up-plan.ts";

type KeyParts = Pick<UpParts, "mesh" | "paths" | "listen" | "say">;

/**
 * The mesh's keys, made once: root key and document, declaration key, builder's key, certificate authority; the gateway's certificate
 * is renewed when it nears its end. Each file is written whole or not at all, and what depends on another comes after it.
 */
export async function prepareKeys(parts: KeyParts, nowMs: number): Promise<void> {
  const { paths } = parts;
  await mkdir(paths.secrets, { recursive: true, mode: 0o700 });
  await chmod(paths.secrets, 0o700);
  await mkdir(dirname(paths.rootDocument), { recursive: true });
  // With a root document there, who signs by it is settled: its root key may be kept elsewhere.
  if (!existsSync(paths.rootDocument)) {
    const rootKey = await keepSigningKey(paths.rootKey);
    const declarationKey = await keepSigningKey(paths.declarationKey);
    const provenanceKey = await keepSigningKey(paths.provenanceKey);
    const keys = [
      listLongKey(rootKey, "root", nowMs),
      listLongKey(declarationKey, "declaration", nowMs),
      listLongKey(provenanceKey, "provenance", nowMs),
    ];
    await writeDurably(paths.rootDocument, rootDocument(parts, { rootKey, keys }), { mode: 0o644 });
  }
  await keepProvenanceKey({ mesh: parts.mesh, paths, nowMs, say: parts.say });
  const authority = await keepAuthority(parts, nowMs);
  await renewGatewayCertificate(parts, authority, nowMs);
}

function rootDocument(
  parts: KeyParts,
  made: { readonly rootKey: SigningKey; readonly keys: readonly RootKey[] },
): Buffer {
  return createRoot({ schema: 1, mesh: parts.mesh, version: 1, threshold: 1, keys: [...made.keys] }, [made.rootKey]);
}

/** The key is written last: with it the pair is whole, without it another pair is made. */
async function keepAuthority({ paths, mesh }: KeyParts, nowMs: number): Promise<Certificate> {
  if (existsSync(paths.authorityKey)) {
    return { certPem: await readFile(paths.authority, "utf8"), keyPem: await readPrivateFile(paths.authorityKey) };
  }
  const authority = await createCertificateAuthority({ mesh, nowMs });
  await writeDurably(paths.authority, authority.certPem, { mode: 0o644 });
  await writePrivateFile(paths.authorityKey, authority.keyPem);
  return authority;
}

async function renewGatewayCertificate(
  { paths, say, listen }: KeyParts,
  authority: Certificate,
  nowMs: number,
): Promise<void> {
  const subjects = { names: ["localhost"], addresses: [...new Set([loopback, listen])] };
  if (existsSync(paths.gatewayKey) && existsSync(paths.gatewayCertificate)) {
    const certificate = {
      certPem: await readFile(paths.gatewayCertificate, "utf8"),
      keyPem: await readPrivateFile(paths.gatewayKey),
    };
    const why = belongTogether(certificate)
      ? whyRenewCertificate(certificate, { authority, ...subjects, nowMs })
      : "a start was killed while it was written";
    if (why === null) return;
    say(`keys: a new certificate for the gateway (${why})`);
  }
  const certificate = await issueServerCertificate(authority, { ...subjects, nowMs });
  await writePrivateFile(paths.gatewayKey, certificate.keyPem);
  await writeDurably(paths.gatewayCertificate, certificate.certPem, { mode: 0o644 });
}

function belongTogether({ certPem, keyPem }: Certificate): boolean {
  return new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
}
