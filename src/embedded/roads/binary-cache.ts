import { chmod, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { hasErrorCode, UnavailableError } from "../../core/errors.ts";
import { readTemporalVersions } from "../temporal-version.ts";
import type { Road, RoadContext } from "./road.ts";

/** The user's own: shared by all clones, and by the tests. */
export function readCacheFolder(env: NodeJS.ProcessEnv): string {
  const home = env["HOME"] ?? homedir();
  const fallback = process.platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache");
  return join(env["XDG_CACHE_HOME"] || fallback, "mesh-delivery", "temporal-cli");
}

export const cacheRoad: Road = {
  name: "one kept by an earlier run",
  find: async (context) => {
    const kept: { readonly version: string; readonly path: string }[] = [];
    for (const folder of context.cacheFolders) {
      const versions = (await listVersions(folder)).map((version) => ({
        version,
        path: join(folder, version, "temporal"),
      }));
      kept.push(...versions);
    }
    const best = kept.toSorted((a, b) => rank(b.version, context) - rank(a.version, context))[0];
    if (best === undefined) throw new UnavailableError("there is none");
    return best.path;
  },
};

/** Newer first, but one that has a database here before all others. */
function rank(version: string, context: RoadContext): number {
  // What Go builds from source calls itself 0.0.0-DEV: the last part is not only a number.
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return (context.keptVersions.includes(version) ? 1e12 : 0) + major * 1e8 + minor * 1e4 + patch;
}

async function listVersions(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^\d+\.\d+\.\d+/.test(name));
  } catch (error) {
    // absence is the answer: nothing was kept here yet.
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}

/**
 * Lets `fetch` put a binary named `temporal` into an empty folder, checks that it runs, and keeps it under its version.
 * A fetch that is killed leaves a folder that nobody looks at.
 */
export async function keepBinary(context: RoadContext, fetch: (folder: string) => Promise<void>): Promise<string> {
  const cache = await chooseWritable(context.cacheFolders);
  const folder = await mkdtemp(join(cache, "half-"));
  try {
    await fetch(folder);
    const half = join(folder, "temporal");
    await chmod(half, 0o755);
    const { cli } = await readTemporalVersions(half);
    if (!/^[\w.+-]+$/.test(cli)) throw new UnavailableError(`it calls itself version ${cli.slice(0, 40)}`);
    await chmod(folder, 0o755);
    const place = join(cache, cli);
    await rm(place, { recursive: true, force: true });
    await rename(folder, place);
    return join(place, "temporal");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function chooseWritable(folders: readonly string[]): Promise<string> {
  const reasons: string[] = [];
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await rm(await mkdtemp(join(folder, "half-")), { recursive: true });
      return folder;
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new UnavailableError(`no folder to keep it in: ${reasons.join("; ")}`);
}
