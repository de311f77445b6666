import { readFile } from "node:fs/promises";
import path from "node:path";
import { InputError, whenThere } from "../core/errors.ts";
import { readPrivateFileIfThere } from "../disk/private-file.ts";
import { writeDurably } from "../disk/write-durably.ts";
import {
  belongTogether,
  type Certificate,
  extendCertificateAuthority,
  lifeOf,
  madeAtMs,
} from "./certificate-authority.ts";
import { tokenLivesMs } from "./enrolment-token.ts";
import type { Expiring } from "./find-expiring.ts";
import type { CertificateFiles } from "./gateway-certificate.ts";

const dayMs = 86_400_000;
/** Somebody has to go to each machine. */
const warnDays = 365;
const urgentDays = 60;

/** What an authority whose end was put off was before: hosts that enrolled by a token with this one pin it. */
export function formerAuthorityFileOf({ authorityFile }: Pick<CertificateFiles, "authorityFile">): string {
  return path.join(path.dirname(authorityFile), `${path.basename(authorityFile, ".pem")}-before.pem`);
}

/**
 * The authority's certificate with a later end, in the place of the one that is there, which is kept beside it. Throws InputError
 * where the key is not that of the certificate.
 */
export async function putOffAuthorityEnd(
  files: Pick<CertificateFiles, "authorityFile" | "authorityKeyFile">,
  nowMs: number,
): Promise<Certificate> {
  const authority = await readAuthority(files);
  const later = await extendCertificateAuthority(authority, nowMs);
  // Of several the one that ends first is kept: hosts may still pin it.
  const formerFile = formerAuthorityFileOf(files);
  const former = await whenThere(readFile(formerFile, "utf8"));
  if (former === null || lifeOf(former).endsMs < nowMs)
    await writeDurably(formerFile, authority.certPem, { mode: 0o644 });
  await writeDurably(files.authorityFile, later.certPem, { mode: 0o644 });
  return later;
}

/** Certificate and key. Throws InputError where the key is none, or another's. */
export async function readAuthority(
  files: Pick<CertificateFiles, "authorityFile" | "authorityKeyFile">,
): Promise<Certificate> {
  const certPem = await whenThere(readFile(files.authorityFile, "utf8"));
  const keyPem = await readPrivateFileIfThere(files.authorityKeyFile);
  const next = "give the key that was made with it by --authority-key FILE: hosts pin that certificate";
  if (certPem === null) throw new InputError(`there is no ${files.authorityFile}`, "restore it from a copy");
  if (keyPem === null) throw new InputError(`there is no key ${files.authorityKeyFile}`, next);
  if (!belongTogether({ certPem, keyPem }))
    throw new InputError(`${files.authorityKeyFile} is not the key of ${files.authorityFile}`, next);
  return { certPem, keyPem };
}

export interface Enrolment {
  readonly name: string;
  /** ISO; null: no host of it has enrolled. */
  readonly enrolledAt: string | null;
  /** ISO: of the authority in the token by which it enrolled, which it pins; null: not known. */
  readonly authorityEndsAt: string | null;
}

/** The ends of what hosts pin, within the bound: of the authority, and of those before for the hosts that pin them. */
export async function findAuthorityEnds(
  files: Pick<CertificateFiles, "authorityFile">,
  {
    listNodes,
    nowMs,
  }: {
    /** Asked only while one before may end soon. */
    readonly listNodes: () => Promise<readonly Enrolment[]>;
    readonly nowMs: number;
  },
): Promise<Expiring[]> {
  const authority = await whenThere(readFile(files.authorityFile, "utf8"));
  if (authority === null) return [];
  const now = sayEnd(lifeOf(authority).endsMs, nowMs, {
    subject: "authority",
    what: "the mesh's certificate authority",
    who: "no host that enrolled by it reaches the gateway",
    remedy:
      "mesh keys certificate --renew-authority, then each host enrols again before that (mesh host token NODE): see docs/keys.md",
  });
  const former = await whenThere(readFile(formerAuthorityFileOf(files), "utf8"));
  if (former === null || lifeOf(former).endsMs - nowMs > warnDays * dayMs) return now;
  const before = groupByEnd(await listNodes(), authority, former);
  return [...now, ...before.flatMap(({ endsMs, names }) => sayBefore(endsMs, names, nowMs))];
}

/** Hosts that pin another certificate than that of now, by when it ends. The first to end comes first. */
function groupByEnd(
  nodes: readonly Enrolment[],
  authority: string,
  former: string,
): readonly { readonly endsMs: number; readonly names: readonly string[] }[] {
  // A token may have been made before the renewal and used after it.
  const untilMs = madeAtMs(authority) + tokenLivesMs;
  const endOf = ({ enrolledAt, authorityEndsAt }: Enrolment): number | null => {
    if (authorityEndsAt !== null) return Date.parse(authorityEndsAt);
    return enrolledAt !== null && Date.parse(enrolledAt) < untilMs ? lifeOf(former).endsMs : null;
  };
  const ends = new Map<number, string[]>();
  for (const node of nodes) {
    const endsMs = endOf(node);
    if (endsMs !== null && endsMs < lifeOf(authority).endsMs)
      ends.set(endsMs, [...(ends.get(endsMs) ?? []), node.name]);
  }
  return [...ends].map(([endsMs, names]) => ({ endsMs, names })).toSorted((a, b) => a.endsMs - b.endsMs);
}

function sayBefore(endsMs: number, names: readonly string[], nowMs: number): Expiring[] {
  const some = names.length > 10 ? `${names.slice(0, 10).join(", ")} and ${names.length - 10} more` : names.join(", ");
  return sayEnd(endsMs, nowMs, {
    subject: `authority until ${new Date(endsMs).toISOString().slice(0, 19)}`,
    what: "what these hosts know of the mesh's certificate authority",
    who: `the gateway is not believed by ${some}`,
    remedy: `each of these hosts enrols again in its own folder: mesh host token ${names[0] ?? "NODE"}, then mesh host enrol`,
  });
}

function sayEnd(
  endsMs: number,
  nowMs: number,
  words: { readonly subject: string; readonly what: string; readonly who: string; readonly remedy: string },
): Expiring[] {
  const daysLeft = Math.floor((endsMs - nowMs) / dayMs);
  if (daysLeft > warnDays) return [];
  const when = `${endsMs < nowMs ? "ended" : "ends"} at ${new Date(endsMs).toISOString()}`;
  const { subject, what, who, remedy } = words;
  return [
    { subject, message: `${what} ${when}: from then on ${who}`, remedy, urgent: daysLeft < urgentDays, daysLeft },
  ];
}
