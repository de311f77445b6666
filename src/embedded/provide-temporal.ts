import { UnavailableError } from "../core/errors.ts";
import { findTemporal, type TemporalBinary } from "./find-temporal.ts";
import { answersOnPort } from "./ports.ts";
import type { Progress } from "./progress.ts";
import type { StatePaths } from "./state-folder.ts";
import { listKeptVersions, startTemporal, type RunningTemporal } from "./temporal.ts";

/** What the user's environment says: TEMPORAL_ADDRESS, or a profile that whoever calls this has read. */
export interface ForeignTemporal {
  readonly address: string;
  readonly namespace: string;
}

export interface ProvideTemporalOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Null: one of our own. */
  readonly foreign: ForeignTemporal | null;
  readonly paths: StatePaths;
  readonly port: number;
  readonly uiPort: number;
  readonly progress: Progress;
}

/**
 * The server that somebody named, else a dev server of our own in the state folder. A foreign one is only asked whether
 * its port answers: retention and search attributes are its owner's, and more needs a client that has its credentials.
 */
export async function provideTemporal(options: ProvideTemporalOptions): Promise<RunningTemporal> {
  const { foreign, paths, progress } = options;
  if (foreign !== null) return await describeForeign(foreign, options);
  return await startTemporal({
    binary: await findTemporalFor(options),
    folder: paths.temporal,
    runFolder: paths.run,
    logFolder: paths.log,
    port: options.port,
    uiPort: options.uiPort,
    progress,
  });
}

async function findTemporalFor(options: ProvideTemporalOptions): Promise<TemporalBinary> {
  const { paths, env, progress } = options;
  const keptVersions = await listKeptVersions(paths.temporal);
  const binary = await findTemporal({ env, folder: `${paths.temporal}/bin`, keptVersions, progress });
  if (keptVersions.length > 0 && !keptVersions.includes(binary.versions.cli)) {
    progress(
      `Temporal: CLI ${binary.versions.cli} begins a new database beside that of ${keptVersions.join(", ")}; ` +
        "workflows under way stay in the old one, the records are compared again",
    );
  }
  return binary;
}

async function describeForeign(foreign: ForeignTemporal, options: ProvideTemporalOptions): Promise<RunningTemporal> {
  const { address, namespace } = foreign;
  const { host, port } = parseAddress(address);
  if (!(await answersOnPort(host, port, 5_000))) {
    throw new UnavailableError(
      `no Temporal server answers at ${address} (TEMPORAL_ADDRESS)`,
      "Start it, or unset TEMPORAL_ADDRESS for one of our own.",
    );
  }
  options.progress(`Temporal: the server at ${address} (TEMPORAL_ADDRESS), namespace ${namespace}`);
  const stop = (): Promise<void> => Promise.resolve();
  return { identity: null, adopted: false, address, namespace, uiUrl: null, stop };
}

/** `host`, `host:port` or `[address]:port`; Temporal's own port when none is given. */
export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(address);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined) {
    throw new UnavailableError(`TEMPORAL_ADDRESS is ${address}, which is no host:port`, "Write it as host:7233.");
  }
  return { host, port: Number(match?.[3] ?? 7233) };
}
