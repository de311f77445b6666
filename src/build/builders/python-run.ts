import type { Mount, SandboxResult } from "../sandbox.ts";
import { type BuildJob, buildRoot } from "./builder.ts";
import { pipScript } from "./python-scripts.ts";
import type { PythonToolchain } from "./python-toolchain.ts";

export interface PythonRun {
  readonly step: string;
  readonly script: string;
  readonly words: readonly string[];
  readonly folder: string;
  readonly mounts: readonly Mount[];
  readonly network?: "host";
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * One program of ours in the sandbox, by the interpreter without its packages and settings. Not `-I`: that leaves out the
 * environment, which is ours and fixed, and with it the seed that gives sets of names one order.
 */
export async function runPython(job: BuildJob, toolchain: PythonToolchain, run: PythonRun): Promise<SandboxResult> {
  const result = await job.sandbox.run({
    command: [toolchain.python.executable, "-P", "-s", "-S", "-B", "-c", run.script, ...run.words],
    folder: run.folder,
    mounts: [...toolchain.mounts, ...run.mounts],
    env: { PYTHONHASHSEED: "0", ...run.env },
    network: run.network ?? "none",
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep(run.step),
  });
  job.log(result.log);
  return result;
}

export interface PipRun {
  readonly step: string;
  readonly words: readonly string[];
  readonly mounts: readonly Mount[];
  readonly network?: "host";
  readonly env?: Readonly<Record<string, string>>;
}

export function runPip(job: BuildJob, toolchain: PythonToolchain, run: PipRun): Promise<SandboxResult> {
  const [command = "", ...rest] = run.words;
  // No settings, no cache, no looking for newer versions of itself.
  const flags = ["--isolated", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--no-color"];
  return runPython(job, toolchain, {
    ...run,
    script: pipScript,
    words: [toolchain.pipPath, command, ...flags, ...rest],
    folder: "/tmp",
  });
}

export function readRoot(job: BuildJob): Mount {
  return { from: job.root, to: buildRoot, access: "read" };
}
