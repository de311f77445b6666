import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import { requireFreePort } from "./ports.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./postgres-binaries.ts";
import {
  cleanEnvironment,
  initialiseData,
  keepPassword,
  postgresDatabase,
  postgresUser,
  postgresFolder,
  readKeptMajor,
  writeSettings,
} from "./postgres-data.ts";
import { readPostmaster, removeStaleFile, type Postmaster } from "./postmaster.ts";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { listProcesses } from "./processes.ts";
import { timeStep } from "./progress.ts";
import { isReachableBy, readRunAs, type RunAs } from "./run-as.ts";
import type { Running } from "./running.ts";
import { spawnDetached } from "./spawn-detached.ts";
import { sendSignal, stopProcess } from "./stop-process.ts";
import { describeFailure, waitUntilReady, type WaitingOptions } from "./wait-until-ready.ts";
import { waitUntil } from "./wait-until.ts";

export interface PostgresOptions extends WaitingOptions {
  /** The data folder is `<parent>/<name>-<major>`; binaries are copied to `<parent>/bin` where that is needed. */
  readonly parent: string;
  readonly name?: string;
  /** The superuser's password; made when it is not there. */
  readonly passwordFile: string;
  readonly port: number;
  /** Where Debian keeps its versions, if not in the usual place. */
  readonly debianFolder?: string;
  /** Lines of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface RunningPostgres extends Running {
  /** As superuser `mesh`, to the database `mesh`. Holds the password. */
  readonly url: string;
  readonly port: number;
  /** Null for a server of somebody else's, like the folder. */
  readonly version: string | null;
  readonly dataFolder: string | null;
}

/** Starts the server of this folder, or adopts it. It outlives this process until `stop`. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const runAs = readRunAs();
  const name = options.name ?? postgresFolder;
  if (runAs !== null && !(await isReachableBy(runAs, options.parent))) {
    throw new InputError(
      `PostgreSQL refuses to run as root, and the user nobody cannot get to ${options.parent}`,
      "Choose a folder that others may enter, or work as an ordinary user.",
    );
  }
  const major = await readKeptMajor(options.parent, name);
  const binaries = await findPostgresBinaries({
    runAs,
    copyFolder: join(options.parent, "bin"),
    major,
    ...(options.debianFolder === undefined ? {} : { debianFolder: options.debianFolder }),
  });
  const dataFolder = join(options.parent, `${name}-${binaries.major}`);
  const password = await keepPassword(options.passwordFile);
  const describe = (postmaster: Postmaster, adopted: boolean): RunningPostgres => ({
    url: `postgresql://${postgresUser}:${password}@127.0.0.1:${postmaster.port}/${postgresDatabase}`,
    port: postmaster.port,
    version: binaries.version,
    dataFolder,
    identity: postmaster.identity,
    adopted,
    stop: () => stopPostgres(postmaster.identity, { dataFolder, program: programOf(binaries) }),
  });

  const postmaster = major === null ? null : await adopt(dataFolder, options);
  if (postmaster !== null) {
    options.progress(`PostgreSQL ${binaries.version} runs already on port ${postmaster.port}`);
    return describe(postmaster, true);
  }
  if (major === null) {
    await timeStep(options.progress, `PostgreSQL ${binaries.version} of ${binaries.from}: made its folder`, () =>
      initialiseData(binaries, dataFolder, password, runAs),
    );
  }
  const what = `PostgreSQL ${binaries.version} of ${binaries.from} on port ${options.port}`;
  return describe(await timeStep(options.progress, what, () => launch(options, binaries, dataFolder, runAs)), false);
}

async function launch(
  options: PostgresOptions,
  binaries: PostgresBinaries,
  dataFolder: string,
  runAs: RunAs | null,
): Promise<Postmaster> {
  const server = { dataFolder, program: programOf(binaries) };
  await removeStaleFile(dataFolder);
  await endOrphans(server);
  await requireFreePort(options.port, { who: "PostgreSQL" });
  await writeSettings(dataFolder, options.port, options.settings ?? {}, runAs);
  const child = await spawnDetached({
    file: server.program,
    args: ["-D", dataFolder],
    cwd: dataFolder,
    env: cleanEnvironment(),
    logFile: options.logFile,
    runAs,
  });
  let end: string | null = null;
  void child.ended.then((how) => (end = how));
  try {
    const ready = await waitUntilReady(dataFolder, () => end !== null, options);
    if (ready !== null) return ready;
    throw await describeFailure(dataFolder, options, `ended at its start (${String(end)})`);
  } catch (error) {
    // Nobody else knows that it runs: it would outlive the command that says it ends what it started.
    await stopPostgres(child.identity, server);
    throw error;
  }
}

/** The server that runs there already. Null: none does, or it was just stopping and is gone. */
async function adopt(dataFolder: string, waiting: WaitingOptions): Promise<Postmaster | null> {
  const found = await readPostmaster(dataFolder);
  // By its process: a file that is just being written is not a server that has gone.
  return found === null ? null : waitUntilReady(dataFolder, () => !isAlive(found.identity), waiting);
}

interface Server {
  readonly dataFolder: string;
  readonly program: string;
}

/**
 * Orphans of a killed postmaster hold the shared memory, and the next one refuses to start while they do. Somebody's shell
 * or editor in the folder is none of them.
 */
async function endOrphans({ dataFolder, program }: Server): Promise<void> {
  const list = (): ReturnType<typeof listProcesses> => listProcesses({ cwd: dataFolder, program });
  const none = async (): Promise<boolean> => (await list()).length === 0;
  if (await waitUntil(none, 5_000)) return;
  for (const worker of await list()) sendSignal(worker.pid, "SIGKILL");
  await waitUntil(none, 5_000);
}

async function stopPostgres(identity: ProcessIdentity, server: Server): Promise<void> {
  // SIGINT ends sessions and writes everything down; SIGQUIT leaves that to the next start.
  const steps = [
    { signal: "SIGINT", waitMs: 20_000 },
    { signal: "SIGQUIT", waitMs: 5_000 },
    { signal: "SIGKILL", waitMs: 5_000 },
  ] as const;
  const signal = await stopProcess(identity, { steps, group: false });
  if (signal === "SIGKILL" && !isAlive(identity)) await endOrphans(server);
}

function programOf({ bin }: PostgresBinaries): string {
  return join(bin, "postgres");
}
