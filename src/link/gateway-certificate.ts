import { readFile, rm } from "node:fs/promises";
import { isIP } from "node:net";
import { whenThere } from "../core/errors.ts";
import { readPrivateFileIfThere, writePrivateFile } from "../disk/private-file.ts";
import { writeDurably } from "../disk/write-durably.ts";
import { readAuthority } from "./authority-end.ts";
import {
  belongTogether,
  type Certificate,
  issueServerCertificate,
  subjectsOf,
  whyRefuseCertificate,
  whyRenewCertificate,
} from "./certificate-authority.ts";

/** Where a gateway's certificate is, and that of the authority which hosts pin. PEM files. */
export type CertificateFiles = {
  readonly certificateFile: string;
  readonly certificateKeyFile: string;
  readonly authorityFile: string;
  /** Only where certificates are renewed. */
  readonly authorityKeyFile: string;
};

export type KeepCertificate = CertificateFiles & {
  /** What it must be for. What the one that is there is for besides, the next one is for, too. */
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly nowMs: number;
  /** Files that are no pair: made anew, or left, because somebody may be putting them there in this moment. */
  readonly broken: "make" | "leave";
};

export type KeptCertificate = {
  /** Null: the files are no pair. */
  readonly certificate: Certificate | null;
  /** Why hosts would refuse it now; null: they take it, or there is none. */
  readonly refused: string | null;
  /** Why it was made anew; null: it was not. */
  readonly made: string | null;
  /** Why it should be another one that was not made, and what to do; null: it need not be. */
  readonly due: { readonly why: string; readonly next: string } | null;
};

/** `listen`: the address, or the name, under which hosts reach it. */
export function subjectsOfGateway(listen: string): Pick<KeepCertificate, "names" | "addresses"> {
  const loopback = "127.0.0.1";
  if (isIP(listen) === 0) return { names: [...new Set(["localhost", listen])], addresses: [loopback] };
  return { names: ["localhost"], addresses: [...new Set([loopback, listen])] };
}

/** On the machine of the gateway, so that its key need not travel. */
const withKeyOfAuthority =
  "where this gateway is: mesh keys certificate --authority-key FILE, with the authority's key (secrets/authority-key.pem of the folder where the mesh was made); it is used without a restart";

/** The certificate of these files, made anew where it is time and the authority's key is there. */
export async function keepGatewayCertificate(options: KeepCertificate): Promise<KeptCertificate> {
  const authorityPem = await whenThere(readFile(options.authorityFile, "utf8"));
  const found = await readPair(options);
  const why = found.pair === null ? found.why : whyRenewCertificate(found.pair.certPem, { ...options, authorityPem });
  const refused = found.pair === null ? null : whyRefuseCertificate(found.pair.certPem, { ...options, authorityPem });
  const there = { certificate: found.pair, refused, made: null };
  if (why === null) return { ...there, due: null };
  const leave = (next: string, more = ""): KeptCertificate => ({ ...there, due: { why: `${why}${more}`, next } });
  if (authorityPem === null)
    return leave(
      `put a copy of the authority's certificate in ${options.authorityFile} (each host has one: \`ca\` in its keys/enrolment.json)`,
    );
  if ((await readPrivateFileIfThere(options.authorityKeyFile)) === null) return leave(withKeyOfAuthority);
  if (found.pair === null && options.broken === "leave") return leave("it is made anew by itself");
  try {
    const certificate = await makeGatewayCertificate(options, await readAuthority(options));
    return { certificate, refused: null, made: why, due: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return leave("mend that; it is tried again by itself", `, and a new one could not be made: ${message}`);
  }
}

/** A new certificate with a new key, of an authority whose key belongs to it, in the place of those that are there. */
export async function makeGatewayCertificate(
  files: Omit<KeepCertificate, "broken">,
  authority: Certificate,
): Promise<Certificate> {
  const { pair } = await readPair(files);
  const before = pair === null ? { names: [], addresses: [] } : subjectsOf(pair.certPem);
  const certificate = await issueServerCertificate(authority, {
    names: [...new Set([...files.names, ...before.names])],
    addresses: [...new Set([...files.addresses, ...before.addresses])],
    nowMs: files.nowMs,
  });
  // The certificate says which of the two keys is its own: wherever a kill or a full disk ends this, a pair is there.
  const nextKeyFile = nextKeyFileOf(files);
  await writePrivateFile(nextKeyFile, certificate.keyPem);
  await writeDurably(files.certificateFile, certificate.certPem, { mode: 0o644 });
  await writePrivateFile(files.certificateKeyFile, certificate.keyPem);
  await rm(nextKeyFile, { force: true });
  return certificate;
}

/** Beside the key, for as long as a certificate is being replaced. */
function nextKeyFileOf({ certificateKeyFile }: CertificateFiles): string {
  return certificateKeyFile.replace(/(\.pem)?$/, "-next$1");
}

async function readPair(
  files: CertificateFiles,
): Promise<{ readonly pair: Certificate } | { readonly pair: null; readonly why: string }> {
  const certPem = await whenThere(readFile(files.certificateFile, "utf8"));
  if (certPem === null) return { pair: null, why: `there is no ${files.certificateFile}` };
  for (const file of [files.certificateKeyFile, nextKeyFileOf(files)]) {
    const keyPem = await readPrivateFileIfThere(file);
    if (keyPem !== null && belongTogether({ certPem, keyPem })) return { pair: { certPem, keyPem } };
  }
  return { pair: null, why: `${files.certificateFile} and ${files.certificateKeyFile} are no pair` };
}
