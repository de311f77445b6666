import { availableParallelism } from "node:os";

/** What one sandboxed run may use. */
export interface SandboxLimits {
  readonly wallMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** Processors' worth of time; whatever else runs goes before a build. */
  readonly cpus: number;
  /** Of stdout and stderr together. */
  readonly outputBytes: number;
  /** Of everything it writes, in each place it may write to; also of one file, by the kernel. */
  readonly diskBytes: number;
}

export const sandboxLimits: SandboxLimits = {
  wallMs: 10 * 60_000,
  memoryBytes: 2 * 1024 ** 3,
  processes: 512,
  cpus: availableParallelism(),
  outputBytes: 16 * 1024 ** 2,
  diskBytes: 2 * 1024 ** 3,
};

export type SandboxLimit = "time" | "memory" | "processes" | "output" | "disk";

export type SandboxResult =
  /** `log` is the end of stdout and stderr as they came, at most 64 KiB; `stdout` its beginning, at most 4 MiB. */
  | { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly log: string }
  | { readonly kind: "limit"; readonly which: SandboxLimit; readonly message: string; readonly log: string }
  | { readonly kind: "unavailable"; readonly why: string; readonly log: string };

export interface Mount {
  readonly from: string;
  readonly to: string;
  readonly access: "read" | "write";
}

export interface SandboxRun {
  /** Absolute paths inside the sandbox; argv only. */
  readonly command: readonly [string, ...string[]];
  /** Working folder, inside. */
  readonly folder: string;
  /** Outer ones first. What may be written to is handed to the sandbox's user. */
  readonly mounts: readonly Mount[];
  readonly env?: Readonly<Record<string, string>>;
  readonly network: "none" | "host";
  readonly limits: SandboxLimits;
  readonly signal?: AbortSignal | undefined;
  /** Called at least every few seconds while it runs. */
  readonly onProgress?: (() => void) | undefined;
  /** `answer`: what it prints on stdout is read by the builder, and is not for people: only stderr is handed on. */
  readonly stdout?: "answer" | undefined;
  /** What it prints, as it comes, up to its limit. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface Sandbox {
  /** What holds on this machine and what cannot be promised, in sentences. */
  readonly promises: readonly string[];
  /** Throws only the signal's reason. The whole group has ended when it returns. */
  run(run: SandboxRun): Promise<SandboxResult>;
}

/** The same on every machine and at every time: what a build can see of where and when it runs (R10). */
export function fixedEnvironment(home: string): Record<string, string> {
  return {
    HOME: home,
    TMPDIR: home,
    TZ: "UTC",
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    // 1980-01-01, the least a zip can hold. A constant: a commit's time would move every digest with every commit.
    SOURCE_DATE_EPOCH: "315532800",
    NO_COLOR: "1",
    CI: "true",
  };
}
