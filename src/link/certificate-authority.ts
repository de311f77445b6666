/** PEM texts; the caller stores them, `keyPem` as a secret. */
export type Certificate = { readonly certPem: string; readonly keyPem: string };

/** The mesh's own authority, P-256, ten years. */
export async function createCertificateAuthority(_options: {
  readonly mesh: string;
  readonly nowMs: number;
}): Promise<Certificate> {
  throw new Error("not written yet");
}

/** A server certificate for DNS names and IP addresses, 90 days. */
export async function issueServerCertificate(
  _authority: Certificate,
  _options: { readonly names: readonly string[]; readonly addresses: readonly string[]; readonly nowMs: number },
): Promise<Certificate> {
  throw new Error("not written yet");
}

/** Why a new server certificate is needed: near its end, another authority's, or it lacks a name. Null: it is not. */
export function whyRenewCertificate(
  _certificate: Certificate,
  _wanted: {
    readonly authority: Certificate;
    readonly names: readonly string[];
    readonly addresses: readonly string[];
    readonly nowMs: number;
  },
): string | null {
  throw new Error("not written yet");
}
