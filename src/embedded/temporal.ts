import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TemporalBinary } from "./find-temporal.ts";
import { requireFreePort } from "./ports.ts";
import { timeStep, type Progress } from "./progress.ts";
import { runCommand } from "./run-command.ts";
import type { Running } from "./running.ts";
import { startChild, type ChildOptions } from "./start-child.ts";
import { prepareNamespace, readClientEnvironment } from "./temporal-namespace.ts";

export interface TemporalOptions {
  readonly binary: TemporalBinary;
  /** Holds the database file. */
  readonly folder: string;
  readonly runFolder: string;
  readonly logFolder: string;
  readonly port: number;
  readonly uiPort: number;
  /** False leaves the page away, for tests. */
  readonly ui?: boolean;
  readonly progress: Progress;
}

export interface RunningTemporal extends Running {
  readonly address: string;
  readonly namespace: string;
  /** Null without the page. */
  readonly uiUrl: string | null;
}

const namespace = "default";

/** The CLI versions that have a database in this folder. */
export async function listKeptVersions(folder: string): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  return (await readdir(folder)).flatMap((name) => /^cli-(.+)-server-.+\.db$/.exec(name)?.[1] ?? []);
}

/** Starts the dev server on its file, or adopts it; sets retention and search attributes each time. */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const address = `127.0.0.1:${options.port}`;
  const { path, versions } = options.binary;
  await mkdir(options.folder, { recursive: true });
  const child: ChildOptions = {
    name: "temporal",
    runFolder: options.runFolder,
    logFolder: options.logFolder,
    file: path,
    args: readArguments(options),
    cwd: options.folder,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: options.folder },
    isReady: () => isServing(path, address),
    readyTimeoutMs: 60_000,
    leftover: "adopt",
  };
  const running = await timeStep(options.progress, `Temporal server ${versions.server} on port ${options.port}`, () =>
    startOnFreePorts(child, options),
  );
  try {
    await timeStep(options.progress, "Temporal: retention and search attributes set", () =>
      prepareNamespace(path, address, namespace),
    );
  } catch (error) {
    // Nobody else knows that it runs: it would outlive the command that says it ends what it started.
    await running.stop();
    throw error;
  }
  return { ...running, address, namespace, uiUrl: options.ui === false ? null : `http://127.0.0.1:${options.uiPort}` };
}

/** A taken port is looked at before the start, but only once nothing of ours can be what has taken it. */
async function startOnFreePorts(child: ChildOptions, options: TemporalOptions): Promise<Running> {
  const ports = options.ui === false ? [options.port] : [options.port, options.uiPort];
  return await startChild({
    ...child,
    beforeStart: async () => {
      for (const port of ports) await requireFreePort(port, { who: "Temporal" });
    },
  });
}

/** The schema in a file is made once and never migrated, so a file belongs to one version. */
export function readDatabaseName(versions: TemporalBinary["versions"]): string {
  return `cli-${versions.cli}-server-${versions.server}.db`;
}

function readArguments(options: TemporalOptions): readonly string[] {
  const file = join(options.folder, readDatabaseName(options.binary.versions));
  return [
    ["server", "start-dev", "--ip", "127.0.0.1", "--port", String(options.port)],
    options.ui === false ? ["--headless"] : ["--ui-port", String(options.uiPort)],
    ["--namespace", namespace, "--db-filename", file, "--log-level", "warn"],
    ["--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=OFF"],
    // One machine, one shard: more partitions only mean more polling.
    ["--dynamic-config-value", "matching.numTaskqueueReadPartitions=1"],
    ["--dynamic-config-value", "matching.numTaskqueueWritePartitions=1"],
  ].flat();
}

async function isServing(path: string, address: string): Promise<boolean> {
  try {
    const args = ["operator", "cluster", "health", "--address", address, "--command-timeout", "3s"];
    return (await runCommand(path, args, { timeoutMs: 5_000, env: readClientEnvironment() })).stdout.includes(
      "SERVING",
    );
  } catch {
    // absence is the answer: no connection while it starts; it is asked again.
    return false;
  }
}
