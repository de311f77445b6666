import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { InputError } from "../../core/errors.ts";
import { writeDurably } from "../../disk/write-durably.ts";
import { createCertificateAuthority } from "../../link/certificate-authority.ts";
import { keepGatewayCertificate, subjectsOfGateway } from "../../link/gateway-certificate.ts";
import type { SigningKey } from "../../link/keys.ts";
import { writePrivateFile } from "../../disk/private-file.ts";
import { createRoot, type RootKey } from "../../link/root.ts";
import { keepProvenanceKey, keepSigningKey, listLongKey } from "../keep-provenance-key.ts";
import { certificateFilesOf } from "../mesh-setup.ts";
import type { UpParts } from "./up-plan.ts";

type KeyParts = Pick<UpParts, "mesh" | "paths" | "listen" | "say"> & {
  /** The newest root that the records have; null: none. Left out: there are no records. */
  readonly readKeptRoot?: () => Promise<Buffer | null>;
};

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
  const kept = existsSync(paths.rootDocument) ? null : ((await parts.readKeptRoot?.()) ?? null);
  if (kept !== null) {
    // Another root 1 would be believed by nobody, and make the true ones look like somebody's forgery.
    await writeDurably(paths.rootDocument, kept, { mode: 0o644 });
    parts.say(`keys: ${paths.rootDocument} was gone; the newest root of the records is in its place`);
  } else if (!existsSync(paths.rootDocument)) {
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
  await keepAuthority(parts, nowMs);
  await keepCertificate(parts, nowMs);
}

function rootDocument(
  parts: KeyParts,
  made: { readonly rootKey: SigningKey; readonly keys: readonly RootKey[] },
): Buffer {
  return createRoot({ schema: 1, mesh: parts.mesh, version: 1, threshold: 1, keys: [...made.keys] }, [made.rootKey]);
}

/**
 * The key is written last: with it the pair is whole, without it another pair is made. But not where the authority has signed the
 * gateway's certificate already: then its key was moved away, and hosts would not know another one.
 */
async function keepAuthority({ paths, mesh }: KeyParts, nowMs: number): Promise<void> {
  if (existsSync(paths.authorityKey) || (await hasSigned(paths))) return;
  const authority = await createCertificateAuthority({ mesh, nowMs });
  await writeDurably(paths.authority, authority.certPem, { mode: 0o644 });
  await writePrivateFile(paths.authorityKey, authority.keyPem);
}

async function hasSigned({ authority, gatewayCertificate }: KeyParts["paths"]): Promise<boolean> {
  if (!existsSync(authority) || !existsSync(gatewayCertificate)) return false;
  const { publicKey } = new X509Certificate(await readFile(authority));
  return new X509Certificate(await readFile(gatewayCertificate)).verify(publicKey);
}

async function keepCertificate({ paths, say, listen }: KeyParts, nowMs: number): Promise<void> {
  const isFirst = !existsSync(paths.gatewayCertificate);
  const { certificate, made, due } = await keepGatewayCertificate({
    ...certificateFilesOf(paths),
    ...subjectsOfGateway(listen),
    nowMs,
    broken: "make",
  });
  if (made !== null && !isFirst) say(`keys: a new certificate for the gateway (${made})`);
  if (due === null) return;
  const what = `the gateway's certificate should be another one: ${due.why}`;
  if (certificate === null) throw new InputError(what, due.next);
  say(`keys: ${what}\n  next: ${due.next}`);
}
