/** What one sandboxed run may use. */
export interface SandboxLimits {
  readonly wallMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of stdout and stderr together. */
  readonly outputBytes: number;
  /** Of everything it writes. */
  readonly diskBytes: number;
}

export const sandboxLimits: SandboxLimits = {
  wallMs: 10 * 60_000,
  memoryBytes: 2 * 1024 ** 3,
  processes: 512,
  outputBytes: 16 * 1024 ** 2,
  diskBytes: 2 * 1024 ** 3,
};

export type SandboxLimit = "time" | "memory" | "processes" | "output" | "disk";

export type SandboxResult =
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
  readonly folder: string;
  readonly mounts: readonly Mount[];
  readonly env?: Readonly<Record<string, string>>;
  readonly network: "none" | "host";
  readonly limits: SandboxLimits;
  readonly signal?: AbortSignal;
  /** Called at least every few seconds while it runs. */
  readonly onProgress?: () => void;
}

export interface Sandbox {
  /** What holds on this machine and what cannot be promised, in sentences. */
  readonly promises: readonly string[];
  run(run: SandboxRun): Promise<SandboxResult>;
}

export interface OpenSandbox {
  /** Without bubblewrap every build is *outstanding*, unless this is set: then builds run as they are. */
  readonly unsafeWithoutSandbox?: boolean;
}

export async function openSandbox(_options: OpenSandbox): Promise<Sandbox> {
  throw new Error("not written yet");
}
