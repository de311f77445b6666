import { UnavailableError } from "../core/errors.ts";
import { runCommand } from "./run-command.ts";

export interface TemporalVersions {
  readonly cli: string;
  readonly server: string;
  readonly ui: string;
}

/** Older servers lack what the workflows use: worker deployments, update-with-start. */
const oldestServer = [1, 29] as const;

/** From `temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)`. Null when it is not that. */
export function parseTemporalVersion(text: string): TemporalVersions | null {
  const match = /^temporal version (\S+) \(Server ([^\s,]+), UI ([^\s,)]+)\)/m.exec(text);
  const [, cli, server, ui] = match ?? [];
  // absence is the answer: another program's words.
  return cli === undefined || server === undefined || ui === undefined ? null : { cli, server, ui };
}

export function isNewEnough(server: string): boolean {
  const [major = 0, minor = 0] = server.split(".").map(Number);
  return major > oldestServer[0] || (major === oldestServer[0] && minor >= oldestServer[1]);
}

/** Runs it: a file of the right name that does not run, or that is too old, is no server. */
export async function readTemporalVersions(path: string): Promise<TemporalVersions> {
  const { stdout } = await runCommand(path, ["--version"], { timeoutMs: 15_000 });
  const versions = parseTemporalVersion(stdout);
  if (versions === null) throw new UnavailableError(`${path} --version said: ${stdout.trim().slice(0, 80)}`);
  if (!isNewEnough(versions.server)) {
    throw new UnavailableError(`${path} holds server ${versions.server}; ${oldestServer.join(".")} or newer is needed`);
  }
  return versions;
}
