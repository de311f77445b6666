import { isAbsolute, join } from "node:path";

export interface Settings {
  /** Folder that holds initdb, pg_ctl and postgres. */
  readonly binDir: string;
  readonly port: number;
  readonly listen: string;
  /** The module's data folder on this node. */
  readonly data: string;
}

/** Reads what the host gave to this service. Throws with the name of what is missing. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const binDir = required(env, "POSTGRES_BIN");
  const data = required(env, "MESH_DATA");
  const port = Number(required(env, "POSTGRES_PORT"));
  if (!isAbsolute(binDir)) throw new Error(`POSTGRES_BIN must be an absolute folder, not ${binDir}`);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw new Error(`POSTGRES_PORT is not a port: ${env["POSTGRES_PORT"]}`);
  return { binDir, port, data, listen: env["POSTGRES_LISTEN"] ?? "127.0.0.1" };
}

function required(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set`);
  return value;
}

export function clusterFolder(settings: Settings): string {
  return join(settings.data, "cluster");
}

export function passwordFile(settings: Settings): string {
  return join(settings.data, "admin-password");
}

/** Loopback by TCP only: no socket file, whose path could be too long, and no way in without a password. */
export function serverArguments(settings: Settings): string[] {
  return [
    "-D",
    clusterFolder(settings),
    "-p",
    String(settings.port),
    "-c",
    `listen_addresses=${settings.listen}`,
    "-c",
    "unix_socket_directories=",
    "-c",
    "password_encryption=scram-sha-256",
  ];
}
