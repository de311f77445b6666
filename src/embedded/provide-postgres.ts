import { join } from "node:path";
import { InputError, UnavailableError } from "../core/errors.ts";
import { answersOnPort } from "./ports.ts";
import { startPostgres, type RunningPostgres } from "./postgres.ts";
import type { Progress } from "./progress.ts";
import type { StatePaths } from "./state-folder.ts";

export interface ProvidePostgresOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly paths: StatePaths;
  readonly port: number;
  /** Ends a start that takes long. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** The records' server: the one DATABASE_URL names, else one of our own in the state folder. */
export async function providePostgres(options: ProvidePostgresOptions): Promise<RunningPostgres> {
  const url = options.env["DATABASE_URL"];
  if (url !== undefined && url !== "") return await describeForeign(url, options.progress);
  return await startPostgres({
    parent: options.paths.root,
    passwordFile: join(options.paths.secrets, "postgres-password"),
    port: options.port,
    logFile: join(options.paths.log, "postgres.log"),
    signal: options.signal,
    progress: options.progress,
  });
}

async function describeForeign(text: string, progress: Progress): Promise<RunningPostgres> {
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw new InputError(
      "DATABASE_URL is no postgresql:// address",
      "Correct it, or unset it for a server of our own.",
    );
  }
  const url = new URL(text);
  const port = url.port === "" ? 5432 : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // Without a host it is a socket's folder: the first statement will tell.
  if (host !== "" && !(await answersOnPort(host, port, 5_000))) {
    throw new UnavailableError(`no PostgreSQL answers at ${host}:${port} (DATABASE_URL)`, "Start it, or unset it.");
  }
  progress(`PostgreSQL: the one at ${host === "" ? "its socket" : `${host}:${port}`} (DATABASE_URL)`);
  const stop = (): Promise<void> => Promise.resolve();
  return { url: text, port, version: null, dataFolder: null, identity: null, adopted: false, stop };
}
