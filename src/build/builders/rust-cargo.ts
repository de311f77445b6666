import type { Mount, SandboxResult } from "../sandbox.ts";
import { type BuildJob, type BuildOutcome, buildRoot, judgeEnvironment, outstanding } from "./builder.ts";
import { findRustToolchain } from "./rust-toolchain.ts";

/** Settings of ours for every run of cargo: where crates come from, and nothing that a module could change. */
export const cargoSettings = `[source.crates-io]
replace-with = "mesh"
[source.mesh]
directory = "vendor"
[net]
offline = true
[profile.release]
strip = "symbols"
incremental = false
`;
export const settingsFile = "settings/config.toml";

/**
 * The words after the script are data, and each that is a path inside is one whole word: without a sandbox they are put
 * back to the paths outside. Cargo's own folder is new for each run; paths of this machine stay out of what is compiled.
 */
const script = `export PATH="$1:$PATH" CARGO_HOME="\${TMPDIR:-/tmp}/cargo"
config=$2 root=$3 jobs=$4; shift 4; rules="[\\"--remap-path-prefix=$root=${buildRoot}\\"]"
exec cargo --config "$config" --config "build.jobs=$jobs" --config "build.rustflags=$rules" "$@"`;

export interface RunCargo {
  readonly words: readonly string[];
  /** For people: fetch, compile, test. */
  readonly step: string;
  /** What is `/build/module` inside: a folder below the job's root. */
  readonly folder: string;
  readonly access: "read" | "write";
  /** Where the compiler writes; null: it is not asked to. */
  readonly target: string | null;
  /** As in SandboxRun. */
  readonly stdout?: "answer";
}

export type CargoResult =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly log: string }
  | { readonly kind: "outcome"; readonly outcome: BuildOutcome };

/** A limit may be half a processor; cargo counts whole ones. */
export function countJobs(cpus: number): string {
  return String(Math.max(1, Math.min(2, Math.floor(cpus))));
}

/** One run of the toolchain's own cargo, in the sandbox, without network. */
export async function runCargo(job: BuildJob, run: RunCargo): Promise<CargoResult> {
  const toolchain = findRustToolchain();
  if (toolchain.kind === "absent")
    return { kind: "outcome", outcome: outstanding("toolchain", `${toolchain.why}: ${toolchain.next}`) };
  const inside = `${buildRoot}/module`;
  const target: Mount[] = run.target === null ? [] : [{ from: run.target, to: `${buildRoot}/target`, access: "write" }];
  const result: SandboxResult = await job.sandbox.run({
    command: [
      "/bin/sh",
      "-c",
      script,
      "cargo",
      "/toolchain/rust/bin",
      `${buildRoot}/${settingsFile}`,
      buildRoot,
      countJobs(job.limits.cpus),
      ...run.words,
      ...(run.target === null ? [] : ["--target-dir", `${buildRoot}/target`]),
    ],
    folder: inside,
    mounts: [
      { from: job.root, to: buildRoot, access: "read" },
      { from: run.folder, to: inside, access: run.access },
      ...target,
      { from: toolchain.sysroot, to: "/toolchain/rust", access: "read" },
    ],
    env: { CARGO_INCREMENTAL: "0", CARGO_TERM_COLOR: "never", CARGO_TERM_PROGRESS_WHEN: "never" },
    network: "none",
    stdout: run.stdout,
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep(run.step),
  });
  job.log(result.log);
  const outcome = judgeEnvironment(run.step, result);
  if (outcome !== null) return { kind: "outcome", outcome };
  if (result.kind !== "exited") throw new Error("what the environment did was judged before");
  return result;
}
