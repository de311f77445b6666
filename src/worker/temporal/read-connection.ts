import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ConfigDataSource } from "@temporalio/envconfig";
import { errorCode, InputError, UnavailableError } from "../../core/errors.ts";
import { readPrivateFile } from "../../disk/private-file.ts";
import { type Environment, type Profile, readProfile } from "./read-profile.ts";
import type { TemporalServer } from "./temporal-server.ts";

/** How one connection is made. Secrets are in it: it goes to the SDK, and nowhere else. */
export interface TemporalConnection {
  readonly address: string;
  /** Null: in plain. */
  readonly tls: TemporalTls | null;
  readonly apiKey: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface TemporalTls {
  readonly serverNameOverride?: string;
  /** PEM. Left out: what the system trusts. */
  readonly serverRootCACertificate?: Buffer;
  /** PEM. */
  readonly clientCertPair?: { readonly crt: Buffer; readonly key: Buffer };
}

/**
 * A server of our own: in plain, whatever the environment says. Another one: as the environment and the profile that was
 * named at `mesh up` say. Throws InputError that names the variable (or the profile's key) and what to do.
 */
export async function readConnection(
  { address, given }: TemporalServer,
  env: Environment = process.env,
): Promise<TemporalConnection> {
  if (given === undefined || given === null) return { address, tls: null, apiKey: null, metadata: {} };
  const profile = await readProfile(env, given);
  if (profile.address !== undefined && profile.address !== address)
    throw new InputError(
      `the environment is about Temporal at ${profile.address}, and this mesh's is at ${address}`,
      `set TEMPORAL_ADDRESS=${address}, or unset TEMPORAL_ADDRESS, TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE`,
    );
  const tls = await readTls(profile);
  return { address, tls, apiKey: readApiKey(profile, tls), metadata: readMetadata(profile) };
}

function readApiKey({ apiKey, variables }: Profile, tls: TemporalTls | null): string | null {
  if (apiKey === undefined) return null;
  const name = variables["TEMPORAL_API_KEY"] === undefined ? "api_key of the profile" : "TEMPORAL_API_KEY";
  // The SDK's own message would quote it.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new InputError(`${name} has a space or a line break in it`, "set it anew");
  if (tls === null)
    throw new InputError(
      `${name} would be sent in plain, where everybody on the way reads it`,
      "set TEMPORAL_TLS=true",
    );
  return apiKey;
}

function readMetadata({ grpcMeta = {} }: Profile): Record<string, string> {
  for (const [name, value] of Object.entries(grpcMeta))
    if (typeof value !== "string" || !/^[0-9a-z_.-]+$/.test(name) || !/^[\x20-\x7e]+$/.test(value))
      throw new InputError("a TEMPORAL_GRPC_META_… (or grpc_meta of the profile) is no header", "unset or mend it");
  return grpcMeta;
}

async function readTls(profile: Profile): Promise<TemporalTls | null> {
  const { tls, apiKey } = profile;
  if (tls?.disabled === true || (tls === undefined && apiKey === undefined)) return null;
  const { serverName, serverCACert, clientCert, clientKey } = tls ?? {};
  const authority = await readPem(profile, "SERVER_CA_CERT", serverCACert);
  if (authority !== null) checkCertificate(authority, sourceOf(profile, "SERVER_CA_CERT"));
  const pair = await readPair(profile, clientCert, clientKey);
  return {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(authority === null ? {} : { serverRootCACertificate: authority }),
    ...(pair === null ? {} : { clientCertPair: pair }),
  };
}

async function readPair(
  profile: Profile,
  clientCert: ConfigDataSource | undefined,
  clientKey: ConfigDataSource | undefined,
): Promise<{ crt: Buffer; key: Buffer } | null> {
  const crt = await readPem(profile, "CLIENT_CERT", clientCert);
  const key = await readPem(profile, "CLIENT_KEY", clientKey);
  if (crt === null && key === null) return null;
  const [certificateName, keyName] = [sourceOf(profile, "CLIENT_CERT"), sourceOf(profile, "CLIENT_KEY")];
  if (crt === null || key === null)
    throw new InputError(
      `a client certificate is a certificate and its key, and ${crt === null ? certificateName : keyName} is not set`,
      "set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH",
    );
  const certificate = checkCertificate(crt, certificateName);
  if (!certificate.checkPrivateKey(readKey(key, keyName)))
    throw new InputError(`${keyName} is not the key of ${certificateName}`, "set both to one pair");
  return { crt, key };
}

/** Of a chain, the first is looked at: the one that says who we are. */
function checkCertificate(pem: Buffer, name: string): X509Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch (cause) {
    throw new InputError(`${name} holds no certificate`, "it must be PEM", { cause });
  }
  if (Date.parse(certificate.validTo) < Date.now())
    throw new InputError(`the certificate of ${name} ended at ${certificate.validTo}`, "set it to one that is valid");
  return certificate;
}

function readKey(pem: Buffer, name: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // The cause is about a secret.
    throw new InputError(`${name} holds no private key that is readable without a passphrase`, "it must be PEM");
  }
}

type Part = "SERVER_CA_CERT" | "CLIENT_CERT" | "CLIENT_KEY";

/** What a person would have to change. */
function sourceOf({ variables, given }: Profile, part: Part): string {
  const variable = [`TEMPORAL_TLS_${part}_PATH`, `TEMPORAL_TLS_${part}_DATA`].find((name) => name in variables);
  if (variable !== undefined || given.configFile === null) return variable ?? `TEMPORAL_TLS_${part}_PATH`;
  return `${part.toLowerCase()}_path of profile ${given.profile ?? "default"}`;
}

async function readPem(profile: Profile, part: Part, source: ConfigDataSource | undefined): Promise<Buffer | null> {
  if (source === undefined) return null;
  if ("data" in source) return Buffer.from(source.data);
  const name = sourceOf(profile, part);
  try {
    return part === "CLIENT_KEY" ? Buffer.from(await readPrivateFile(source.path)) : await readFile(source.path);
  } catch (error) {
    if (error instanceof InputError || error instanceof UnavailableError)
      throw new InputError(`${name}: ${error.message}`, error.next, { cause: error });
    throw new InputError(
      `${name}: ${source.path} cannot be read (${errorCode(error) ?? "it failed"})`,
      "is the path right, and is it yours?",
      { cause: error },
    );
  }
}
