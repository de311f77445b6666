import { createHash, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GoToolchain } from "../../source/imports/go-toolchain.ts";
import { isWhole, sealContents } from "../kept-contents.ts";
import { isKept } from "../kept-use.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { type BuildJob, type BuildOutcome, buildRoot, judgeEnvironment, outstanding, unfit } from "./builder.ts";
import { type GoMod, goModFile, goSumFile } from "../../source/imports/go-mod.ts";
import { describeOtherBytes } from "./other-bytes.ts";
import { type GoPlan, writeGoMod } from "./go-plan.ts";
import { compareGoLines } from "./go-versions.ts";
import { firstLines, goEnvironment, toolchainMounts } from "./go-sandbox.ts";
import { keepFetched, networkEnvironment } from "./third-parties.ts";

export type FetchedGo = { readonly kind: "fetched"; readonly folder: string | null };

/**
 * Third-party modules, by go.mod and go.sum only, in a step of its own: the one that has network, and the one that runs
 * nothing of what it fetches. One registry is asked and nobody else: no version control, no other host. What is kept is
 * laid out as a proxy; Go compares it with go.sum again at every build.
 */
export async function fetchGoThirdParties(
  job: BuildJob,
  toolchain: GoToolchain,
  plan: GoPlan,
): Promise<FetchedGo | BuildOutcome> {
  if (plan.thirdParties.size === 0) return { kind: "fetched", folder: null };
  const mod = writeGoMod(plan, [], "fetch.invalid/third-parties");
  const sum = `${plan.sums.join("\n")}\n`;
  const key = createHash("sha256")
    .update(JSON.stringify([toolchain.version, mod, sum]))
    .digest("hex");
  const kept = join(job.cache, "go-modules", key);
  if ((await isKept(kept)) && (await isWhole(kept))) return { kind: "fetched", folder: kept };
  const folder = join(job.root, `fetch-${randomUUID()}`);
  await mkdir(folder);
  await writeFile(join(folder, "go.mod"), mod);
  await writeFile(join(folder, "go.sum"), sum);
  await normaliseModes(folder);
  const inside = `${buildRoot}/fetch`;
  const result = await job.sandbox.run({
    command: [toolchain.program, "mod", "download"],
    folder: inside,
    mounts: [{ from: folder, to: inside, access: "write" }, ...toolchainMounts(toolchain)],
    env: {
      ...networkEnvironment(),
      ...goEnvironment(),
      GOPROXY: job.registries.go.replace(/\/$/, ""),
      GOMODCACHE: `${inside}/modules`,
      GOCACHE: "/tmp/cache",
      GOFLAGS: "-mod=readonly -modcacherw",
    },
    network: "host",
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep("fetch"),
  });
  job.log(result.log);
  const environment = judgeEnvironment("fetching modules", result);
  if (environment !== null) return environment;
  if (result.kind === "exited" && result.code !== 0) return judgeFetch(result.log, job.registries.go);
  const download = join(folder, "modules", "cache", "download");
  await sealContents(download);
  await keepFetched(download, kept);
  return { kind: "fetched", folder: kept };
}

/** What go.mod and go.sum are to blame for is the module's; everything else may answer better another time. */
export function judgeFetch(log: string, registry: string): BuildOutcome {
  const message = firstLines(log, 8);
  const newer = judgeGoVersion(log);
  if (newer !== null) return newer;
  const other = describeMismatch(log, registry);
  if (other !== null) return outstanding("registry", other);
  const isTheirs = /missing go\.sum entry|updates to go\.mod needed|errors parsing/.test(log);
  // A registry in trouble uses these words too: of an answer that is malformed, of a version that it cannot get just now.
  const isWords =
    /malformed|invalid version/.test(log) && !/\breading https?:\/\/|\b(Get|Head) "?https?:\/\//.test(log);
  if (isTheirs || isWords) return unfit("compile", `go.sum and go.mod: ${message}`);
  return outstanding("registry", `modules could not be fetched: ${message}`);
}

function describeMismatch(log: string, registry: string): string | null {
  const said = /^verifying (\S+)@(\S+?)(\/go\.mod)?: checksum mismatch\n\s*downloaded: (\S+)\n\s*go\.sum: +(\S+)/m.exec(
    log,
  );
  const [, path, version, file, got, wanted] = said ?? [];
  if (path === undefined || version === undefined || got === undefined || wanted === undefined) return null;
  const escaped = path.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
  const from = `${registry}${escaped}/@v/${version}.${file === undefined ? "zip" : "mod"}`;
  return describeOtherBytes({ lock: goSumFile, what: `${path} ${version}${file ?? ""}`, wanted, got, from });
}

/**
 * Asked before anything runs: a Go before 1.21 compiles what asks for a newer one as far as it can, by its own rules, or
 * calls the line malformed.
 */
export function judgeOlderGo({ go }: GoMod, { version }: GoToolchain): BuildOutcome | null {
  if (!(compareGoLines(go.version, version) > 0)) return null;
  const asks = `${goModFile}:${go.line}: asks for go ${go.version}, and this machine has go ${version}`;
  return outstanding("toolchain", `${asks}: install that Go on the machine that builds`);
}

/**
 * A newer Go than this machine's is nobody's mistake; null where that is not what is said. Only as Go itself says it, in a
 * line of its own: what a compiler says quotes code, and code may say anything. One before 1.21 compiles a
 * third party all the same, and says it behind what that gave.
 */
export function judgeGoVersion(log: string): BuildOutcome | null {
  const newer = /^go: \S.* requires go >= \S+ \(running go \S+; GOTOOLCHAIN=local\)$|^note: module requires Go \d\S*$/m;
  const line = newer.exec(log)?.[0];
  return line === undefined
    ? null
    : outstanding("toolchain", `${line.trim()}: install that Go on the machine that builds`);
}
