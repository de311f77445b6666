import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { loadClientConfigProfile, type ClientConfigProfile } from "@temporalio/envconfig";
import { errorCode, InputError } from "../../core/errors.ts";
import { readPrivateFile } from "../../disk/private-file.ts";
import type { GivenTemporal, TemporalServer } from "./temporal-server.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What TEMPORAL_… and the profile say, as Temporal's own tools read them; nothing that a path names was read yet. */
export interface Profile extends ClientConfigProfile {
  readonly given: GivenTemporal;
  /** The variables that are set, without empty ones. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * The server that the environment names by TEMPORAL_ADDRESS, TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE; null: none. A
 * file that none of them names is not read: a key in it would go to a server that it is not for.
 */
export async function readNamedTemporal(env: Environment): Promise<TemporalServer | null> {
  const { TEMPORAL_ADDRESS, TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE } = listVariables(env);
  if (TEMPORAL_ADDRESS === undefined && TEMPORAL_PROFILE === undefined && TEMPORAL_CONFIG_FILE === undefined)
    return null;
  const { address, namespace, given } = await readProfile(env, { configFile: null, profile: null });
  if (address === undefined)
    throw new InputError(
      `no address of a Temporal server is in profile ${given.profile ?? "default"} of ${given.configFile}`,
      "add its address there, or set TEMPORAL_ADDRESS",
    );
  return { address, namespace: namespace ?? "default", given };
}

/** Throws InputError that names the variable or the file; what is in a file is in no message. */
export async function readProfile(env: Environment, kept: GivenTemporal): Promise<Profile> {
  const variables = listVariables(env);
  checkWords(variables);
  const profile = variables["TEMPORAL_PROFILE"] ?? kept.profile;
  const named = variables["TEMPORAL_CONFIG_FILE"] ?? kept.configFile;
  const configFile = named === null ? (profile === null ? null : usualFile(env)) : resolve(named);
  const found = await loadProfile({ variables, profile, configFile });
  return { ...found, given: { configFile, profile }, variables };
}

function listVariables(env: Environment): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (name.startsWith("TEMPORAL_") && value !== undefined && value !== "") set[name] = value;
  return set;
}

/** Temporal's reader takes any other word as false, and would then ask in plain. */
function checkWords(variables: Readonly<Record<string, string>>): void {
  const tls = variables["TEMPORAL_TLS"];
  if (tls !== undefined && !["1", "true", "0", "false"].includes(tls))
    throw new InputError("TEMPORAL_TLS is neither true nor false", "write true, false, 1 or 0");
  if (variables["TEMPORAL_TLS_DISABLE_HOST_VERIFICATION"] !== undefined)
    throw new InputError(
      "TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is not heeded: a server is never taken unseen",
      "unset it, and name the server's CA in TEMPORAL_TLS_SERVER_CA_CERT_PATH, its name in TEMPORAL_TLS_SERVER_NAME",
    );
}

/** Where Temporal's own tools keep it. */
function usualFile(env: Environment): string {
  const home = env["HOME"] ?? "";
  const usual = process.platform === "darwin" ? join(home, "Library", "Application Support") : join(home, ".config");
  return resolve(env["XDG_CONFIG_HOME"] || usual, "temporalio", "temporal.toml");
}

interface ProfileSource {
  readonly variables: Record<string, string>;
  readonly profile: string | null;
  readonly configFile: string | null;
}

async function loadProfile({ variables, profile, configFile }: ProfileSource): Promise<ClientConfigProfile> {
  if (configFile === null)
    return explainFailure("the environment", () =>
      loadClientConfigProfile({ overrideEnvVars: variables, disableFile: true }),
    );
  const text = await readConfigFile(configFile);
  const source = { configSource: { data: text }, ...(profile === null ? {} : { profile }) };
  const inFile = explainFailure(configFile, () => loadClientConfigProfile({ ...source, disableEnv: true }));
  // Only where a secret is in it must it be nobody else's to read.
  if (inFile.apiKey !== undefined || isData(inFile.tls?.clientKey) || inFile.grpcMeta !== undefined)
    await readPrivateFile(configFile);
  return explainFailure(configFile, () => loadClientConfigProfile({ ...source, overrideEnvVars: variables }));
}

function isData(source: object | undefined): boolean {
  return source !== undefined && "data" in source;
}

async function readConfigFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new InputError(
      `Temporal's configuration ${file} cannot be read (${errorCode(error) ?? "it failed"})`,
      "see TEMPORAL_CONFIG_FILE and TEMPORAL_PROFILE",
      { cause: error },
    );
  }
}

/** What a reader of TOML says quotes the lines around the mistake, and a key may be in them: it is no cause here. */
function explainFailure<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const said = error instanceof Error ? error.message : "";
    const line = error instanceof Error && "line" in error ? ` (line ${String(error.line)})` : "";
    const known = /^(Profile '[^'\n]*' not found|Cannot specify both \w+ and \w+)/.exec(said)?.[0];
    throw new InputError(
      `how Temporal is reached cannot be read from ${where}${line}: ${known ?? "it is not as expected"}`,
      "see TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and TEMPORAL_TLS_…: each as _PATH or as _DATA",
    );
  }
}
