import { createHash } from "node:crypto";
import { cp, mkdir, stat, writeFile } from "node:fs/promises";
import { constants } from "node:fs";
import { join } from "node:path";
import { whenThere } from "../../core/errors.ts";
import { goStandardPackages } from "../../source/imports/go-standard-packages.ts";
import type { GoToolchain } from "../../source/imports/go-toolchain.ts";
import { describePlatform } from "../own-packages.ts";
import { type BuildJob, type BuildOutcome, judgeEnvironment, outstanding } from "./builder.ts";
import { firstLines, goEnvironment, toolchainMounts } from "./go-sandbox.ts";

/**
 * Compiling the standard library takes longer than most modules. It is compiled once for a machine, in a run that sees
 * nothing of any module and is told only names out of our own list, and each build gets a copy: a cache that builds
 * shared would let one put its code into another.
 */
export async function copyStandardCache(job: BuildJob, toolchain: GoToolchain): Promise<void> {
  const cache = join(placeOf(job, toolchain), "cache");
  await mkdir(cache, { recursive: true });
  const mode = constants.COPYFILE_FICLONE;
  await cp(cache, join(job.root, "go", "cache"), { recursive: true, mode });
}

function placeOf(job: BuildJob, toolchain: GoToolchain): string {
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
  await copyStandardCache(job, toolchain);
  return null;
}
