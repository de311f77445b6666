import { createHash, randomUUID } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, whenThere } from "../../core/errors.ts";
import type { Finding } from "../../source/finding.ts";
import { lockFile, packageFile, type PackageJson } from "../../source/imports/package-facts.ts";
import { readLockFile } from "../../source/imports/package-lock.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { isWhole, sealContents } from "../kept-contents.ts";
import { isKept } from "../kept-use.ts";
import type { Mount } from "../sandbox.ts";
import { type BuildJob, type BuildOutcome, buildRoot, judgeEnvironment, outstanding, unfit } from "./builder.ts";
import { findNpm } from "./find-npm.ts";
import { judgeNpmFetch } from "./judge-npm-fetch.ts";
import { planFetch } from "./plan-fetch.ts";

export interface Placed {
  readonly kind: "placed";
  /** Null: nothing was fetched. */
  readonly lockText: string | null;
  readonly findings: readonly Finding[];
}

/**
 * Third-party packages, from the lock file only and by its digests, in a step of its own: the one that has network, and
 * the one that runs nothing of what it fetches. Kept by lock file, and looked at again at each use.
 */
export async function placeThirdParties(
  job: BuildJob,
  folder: string,
  own: PackageJson,
  modules: ReadonlySet<string>,
  npm: string | null = findNpm(),
): Promise<Placed | BuildOutcome> {
  const lock = await whenThere(readFile(join(folder, lockFile), "utf8"));
  const plan = planFetch({ own, lockText: lock, modules, registry: job.registries.npm });
  if (plan.kind === "refused") {
    // A verdict is kept for its inputs: what they do not hold must not be in one, or the commit that mends it would not.
    return plan.by === "inputs" ? unfit("compile", plan.message) : outstanding("registry", plan.message);
  }
  if (plan.kind === "nothing") return { kind: "placed", lockText: null, findings: plan.findings };
  const { packageText, lockText, findings } = plan;
  const key = createHash("sha256")
    .update(JSON.stringify([packageText, lockText, process.platform, process.arch, process.version]))
    .digest("hex");
  const kept = join(job.cache, "packages", key);
  if (!(await isKept(kept)) || !(await isWhole(kept))) {
    const failed = await fetchPackages(job, { packageText, lockText, kept, npm });
    if (failed !== null) return failed;
  }
  await cp(join(kept, "node_modules"), join(folder, "node_modules"), { recursive: true, verbatimSymlinks: true });
  return { kind: "placed", lockText, findings };
}

/** What only development needs, by the lock's own marks. */
export function listDevelopmentPaths(lockText: string): string[] {
  const lock = readLockFile(lockText);
  if (lock.kind === "refused") throw new Error(`${lockFile} was read before: ${lock.finding.message}`);
  return [...lock.packages].flatMap(([path, entry]) => (path !== "" && entry.dev === true ? [path] : []));
}

interface Fetch {
  readonly packageText: string;
  readonly lockText: string;
  readonly kept: string;
  /** Its folder; null: there is none. */
  readonly npm: string | null;
}

async function fetchPackages(job: BuildJob, fetch: Fetch): Promise<BuildOutcome | null> {
  const { npm } = fetch;
  if (npm === null)
    return outstanding(
      "toolchain",
      `third-party packages cannot be fetched: no npm belongs to ${process.execPath}, and none is on the PATH of the controller. Install npm there (Debian: apt-get install npm), or start the controller with a PATH that has it`,
    );
  const folder = join(job.root, `fetch-${randomUUID()}`);
  await mkdir(folder);
  await writeFile(join(folder, packageFile), fetch.packageText);
  await writeFile(join(folder, lockFile), fetch.lockText);
  await normaliseModes(folder);
  const flags = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--no-progress",
    "--loglevel=error",
  ];
  const settings = [
    // Of this fetch alone: with a shared one npm would take bytes that another lock file brought.
    `--cache=${buildRoot}/fetch/.npm`,
    "--userconfig=/dev/null",
    // Another name than the user one: npm refuses one file twice. Neither exists.
    "--globalconfig=/nonexistent/npmrc",
    "--fetch-retries=1",
    "--fetch-timeout=30000",
  ];
  const result = await job.sandbox.run({
    command: [
      process.execPath,
      join(npm, "bin", "npm-cli.js"),
      "ci",
      ...flags,
      ...settings,
      `--registry=${job.registries.npm}`,
    ],
    folder: `${buildRoot}/fetch`,
    mounts: [{ from: folder, to: `${buildRoot}/fetch`, access: "write" }, ...mountOf(npm)],
    env: networkEnvironment(),
    network: "host",
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep("fetch"),
  });
  job.log(result.log);
  const environment = judgeEnvironment("fetching packages", result);
  if (environment !== null) return environment;
  if (result.kind === "exited" && result.code !== 0) return judgeNpmFetch(result.log, fetch.lockText);
  // npm makes no folder where every package is optional and for other platforms.
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await rm(join(folder, ".npm"), { recursive: true, force: true });
  await sealContents(folder);
  await keepFetched(folder, fetch.kept);
  return null;
}

export async function keepFetched(folder: string, kept: string): Promise<void> {
  await mkdir(dirname(kept), { recursive: true });
  try {
    await rename(folder, kept);
  } catch (error) {
    if (errorCode(error) === "EXDEV") {
      const beside = `${kept}.${randomUUID()}`;
      await cp(folder, beside, { recursive: true, verbatimSymlinks: true });
      await rm(folder, { recursive: true, force: true });
      return keepFetched(beside, kept);
    }
    // Another build fetched the same at the same moment.
    if (errorCode(error) !== "ENOTEMPTY" && errorCode(error) !== "EEXIST") throw error;
    await rm(folder, { recursive: true, force: true });
  }
  return undefined;
}

function mountOf(folder: string): Mount[] {
  return folder.startsWith("/usr/") ? [] : [{ from: folder, to: folder, access: "read" }];
}

/** A way through a proxy, and whom to trust. Addresses with a password in them stay here. */
export function networkEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "NO_PROXY",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
  ]) {
    const value = process.env[name];
    if (value !== undefined && !value.includes("@")) env[name] = value;
  }
  return env;
}
