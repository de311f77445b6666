import type { Artifact, Closure, Verdict } from "../core/artifact.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Name, ObjectId } from "../core/names.ts";
import type { Finding } from "../source/finding.ts";
import type { Repository } from "../source/repository.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import type { Sandbox, SandboxLimits } from "./sandbox.ts";

export interface BuildDependency {
  readonly module: Name;
  readonly kind: "build" | "test";
  readonly artifact: Artifact;
}

export interface BuildFolders {
  /** Each build makes a folder of its own here and removes it. */
  readonly work: string;
  /** Third-party packages by lock file; may be removed at any time. */
  readonly cache: string;
}

export interface BuildModule {
  readonly closure: Closure;
  readonly source: {
    readonly repository: Repository;
    readonly branch: string;
    readonly commit: ObjectId;
    readonly path: string;
    /** `nestedPaths` of the module. */
    readonly without: readonly string[];
  };
  /** Exactly those that the closure names. */
  readonly dependencies: readonly BuildDependency[];
  readonly store: ArtifactStore;
  readonly sandbox: Sandbox;
  readonly folders: BuildFolders;
  readonly limits?: SandboxLimits;
  readonly signal?: AbortSignal;
  /** Called at least every few seconds; `step` is a word for people: fetch, compile, test, pack. */
  readonly onProgress?: (step: string) => void;
}

export interface BuiltModule {
  readonly verdict: Verdict;
  /** Set when fit. */
  readonly artifact: Artifact | null;
  readonly manifest: Manifest | null;
  /** The end of what the tools printed, at most 64 KiB. */
  readonly logTail: string;
  readonly findings: readonly Finding[];
}

/**
 * Builds, tests and packs one module at exact inputs (R11). Throws only when cancelled (the signal's reason) or for a
 * mistake of ours; everything the environment does is a verdict *outstanding*.
 */
export async function buildModule(_options: BuildModule): Promise<BuiltModule> {
  throw new Error("not written yet");
}
