import { createHash } from "node:crypto";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../../core/errors.ts";
import { goStandardPackages } from "../../source/imports/go-standard-packages.ts";
import type { GoToolchain } from "../../source/imports/go-toolchain.ts";
import { isKept } from "../kept-use.ts";
import { describePlatform } from "../own-packages.ts";
import { type BuildJob, type BuildOutcome, judgeEnvironment, outstanding } from "./builder.ts";
import { dropDamaged } from "./go-standard-damage.ts";
import { firstLines, goEnvironment, goRoot, standardMount, toolchainMounts } from "./go-sandbox.ts";

/**
 * Compiling the standard library takes longer than most modules. It is compiled once for a machine, in a run that sees
 * nothing of any module and is told only names out of our own list. Each build has a cache of its own, in which that one
 * is there as links to where it is mounted, read-only: a cache that builds could write to would let one put its code
 * into another, and a copy is thousands of files, which are written, counted and removed again.
 */
export async function linkStandardCache(job: BuildJob, toolchain: GoToolchain): Promise<BuildOutcome | null> {
  const folder = placeOf(job, toolchain);
  await mkdir(join(folder, "cache"), { recursive: true });
  await isKept(folder);
  // At each use, before it: a program made of wrong code would pass for fit, and its second build would agree.
  if (await dropDamaged(folder))
    job.log("Go's standard library was not what it was on the disk: it is compiled again\n");
  return linkKept(job, folder);
}

async function linkKept(job: BuildJob, folder: string): Promise<BuildOutcome | null> {
  const own = join(job.root, "go", "cache");
  const result = await job.sandbox.run({
    command: ["/bin/cp", "--recursive", "--symbolic-link", "--force", `${goRoot}/standard/.`, `${goRoot}/cache`],
    folder: "/tmp",
    mounts: [standardMount(folder), { from: own, to: `${goRoot}/cache`, access: "write" }],
    network: "none",
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep("compile"),
  });
  const environment = judgeEnvironment("linking Go's standard library", result);
  if (environment !== null) return environment;
  if (result.kind === "exited" && result.code !== 0)
    return outstanding("toolchain", `Go's standard library cannot be linked: ${firstLines(result.log, 8)}`);
  await holdTrimming(own);
  return null;
}

/** Go throws out of a cache what nobody used for days, once a day, and nobody is seen using what is only read. */
async function holdTrimming(cache: string): Promise<void> {
  const mark = join(cache, "trim.txt");
  await rm(mark, { force: true });
  await writeFile(mark, String(Math.floor(Date.now() / 1000)));
}

export function placeOf(job: Pick<BuildJob, "cache">, toolchain: GoToolchain): string {
  return join(job.cache, "go-standard", `${toolchain.version}-${describePlatform()}`);
}

/** Compiles what nobody needed before, and gives the build that too. */
export async function fillStandardCache(
  job: BuildJob,
  toolchain: GoToolchain,
  names: readonly string[],
): Promise<BuildOutcome | null> {
  const wanted = names.filter((name) => goStandardPackages.has(name) && name !== "unsafe").toSorted();
  const folder = placeOf(job, toolchain);
  const mark = join(folder, createHash("sha256").update(wanted.join("\n")).digest("hex"));
  if (wanted.length === 0 || (await whenThere(stat(mark))) !== null) return null;
  await holdTrimming(join(folder, "cache"));
  const result = await job.sandbox.run({
    command: [toolchain.program, "build", ...wanted],
    folder: "/tmp",
    mounts: [{ from: join(folder, "cache"), to: "/cache", access: "write" }, ...toolchainMounts(toolchain)],
    env: { ...goEnvironment(), GOPROXY: "off", GOCACHE: "/cache", GOFLAGS: "-trimpath -buildvcs=false" },
    network: "none",
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep("compile"),
  });
  const environment = judgeEnvironment("compiling Go's standard library", result);
  if (environment !== null) return environment;
  if (result.kind === "exited" && result.code !== 0)
    return outstanding("toolchain", `Go's standard library does not compile here: ${firstLines(result.log, 8)}`);
  await writeFile(mark, "");
  return linkKept(job, folder);
}
