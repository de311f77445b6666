import type { Manifest } from "../core/manifest.ts";
import type { Digest, Name, ObjectId } from "../core/names.ts";
import type { KnownSource } from "../core/known-source.ts";
import type { Finding } from "./finding.ts";
import type { CommitInfo } from "./repository.ts";

/** Where a module's source is (R1). */
export interface RegisteredModule {
  readonly module: Name;
  readonly repository: Name;
  readonly branch: string;
  readonly path: string;
}

/** A build edge, with the first place that makes it. `test`: only tests make it. */
export interface SourceEdge {
  readonly dependency: Name;
  readonly kind: "build" | "test";
  readonly file: string;
  readonly line: number;
  /** A build edge whose every import is of types alone. */
  readonly typesOnly?: true | undefined;
}

export interface SourceProblem {
  /** `source`: no branch, no folder, past a limit. The others are stages of an *unfit* verdict. */
  readonly stage: "source" | "manifest" | "import";
  readonly message: string;
  /** There is no such folder: nor is there an import in it. */
  readonly isGone?: true;
}

/** What is true about one module's source at one commit. */
export interface SourceFacts {
  readonly module: Name;
  readonly commit: CommitInfo | null;
  /** Null where there is no tree to build from. */
  readonly tree: ObjectId | null;
  /** Digest of the packages that its lock file resolves (R8); null: none. */
  readonly thirdParties: Digest | null;
  readonly manifest: Manifest | null;
  /** The names others import it by; empty where it publishes none. */
  readonly publishes: readonly string[];
  /** By dependency. */
  readonly edges: readonly SourceEdge[];
  /** False: not all that it imports could be read, or led to a module; there may be more edges than these. */
  readonly areEdgesKnown: boolean;
  readonly findings: readonly Finding[];
  /** Why it cannot be built as it is; findings say more. */
  readonly problem: SourceProblem | null;
  /** What they were read from; null: they are read again each time, because there is no folder. */
  readonly known: KnownSource | null;
}

export function describeMissingBranch(module: RegisteredModule): SourceFacts {
  const message = `there is no branch ${module.branch} in repository ${module.repository}`;
  return {
    module: module.module,
    commit: null,
    tree: null,
    thirdParties: null,
    manifest: null,
    publishes: [],
    edges: [],
    areEdgesKnown: false,
    findings: [],
    problem: { stage: "source", message },
    known: null,
  };
}
