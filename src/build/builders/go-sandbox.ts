import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { GoToolchain } from "../../source/imports/go-toolchain.ts";
import type { Mount, SandboxResult } from "../sandbox.ts";
import { type BuildJob, buildRoot } from "./builder.ts";

/** Beside the module's files, everything of Go's that a build writes: private to it, gone with it. */
export const goRoot = `${buildRoot}/go`;

const writable = ["bin", "cache", "modules", "temporary"] as const;

export async function makeGoFolders(job: BuildJob): Promise<void> {
  for (const name of [...writable, "mod", "proxy", "standard", "third-parties"])
    await mkdir(join(job.root, "go", name), { recursive: true });
}

export interface GoRun {
  readonly toolchain: GoToolchain;
  readonly step: string;
  readonly arguments: readonly string[];
  /** Kept packages of third parties; null: there are none. */
  readonly thirdParties: string | null;
  /** The folder of the compiled standard library, which caches link to. */
  readonly standard: string;
  /** Programs are put there by the step that links them, and by no other. */
  readonly links?: true;
  /** As in SandboxRun. */
  readonly stdout?: "answer";
}

/** One command of Go on the module: read-only sources, private caches, nobody to ask for anything. */
export async function runGo(job: BuildJob, run: GoRun): Promise<SandboxResult> {
  const write = writable.filter((name) => name !== "bin" || run.links === true);
  const result = await job.sandbox.run({
    command: [run.toolchain.program, ...run.arguments],
    folder: `${buildRoot}/module`,
    mounts: [
      { from: job.root, to: buildRoot, access: "read" },
      standardMount(run.standard),
      ...(run.thirdParties === null
        ? []
        : [{ from: run.thirdParties, to: `${goRoot}/third-parties`, access: "read" as const }]),
      ...write.map((name) => ({ from: join(job.root, "go", name), to: `${goRoot}/${name}`, access: "write" as const })),
      ...toolchainMounts(run.toolchain),
    ],
    env: {
      ...goEnvironment(),
      GOPROXY: `file://${goRoot}/proxy,file://${goRoot}/third-parties`,
      GOCACHE: `${goRoot}/cache`,
      GOMODCACHE: `${goRoot}/modules`,
      GOTMPDIR: `${goRoot}/temporary`,
      GOFLAGS: `-mod=readonly -modcacherw -trimpath -buildvcs=false -modfile=${goRoot}/mod/go.mod`,
    },
    network: "none",
    stdout: run.stdout,
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep(run.step),
  });
  return result;
}

/** Nothing of the machine's own settings, no C, no other toolchain, no version control, no database of sums: go.sum is the pin. */
export function goEnvironment(): Record<string, string> {
  return {
    GOENV: "off",
    GOWORK: "off",
    GOTOOLCHAIN: "local",
    GOTELEMETRY: "off",
    GOSUMDB: "off",
    GOVCS: "*:off",
    GO111MODULE: "on",
    CGO_ENABLED: "0",
    GOPATH: "/tmp/go",
  };
}

export function standardMount(folder: string): Mount {
  return { from: join(folder, "cache"), to: `${goRoot}/standard`, access: "read" };
}

export function toolchainMounts(toolchain: GoToolchain): Mount[] {
  return toolchain.root.startsWith("/usr/") ? [] : [{ from: toolchain.root, to: toolchain.root, access: "read" }];
}

export function firstLines(text: string, count: number): string {
  const lines = text.trim().split("\n");
  const more = lines.length > count ? `\n… and ${lines.length - count} lines more` : "";
  return lines.slice(0, count).join("\n") + more;
}
