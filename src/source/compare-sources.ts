import type { Manifest } from "../core/manifest.ts";
import type { Name, ObjectId } from "../core/names.ts";
import type { Finding } from "./finding.ts";
import type { ImportCache } from "./imports/import-cache.ts";
import type { CommitInfo, Repository } from "./repository.ts";

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
}

export interface SourceProblem {
  /** `source`: no branch, no folder, past a limit. The others are stages of an *unfit* verdict. */
  readonly stage: "source" | "manifest" | "import";
  readonly message: string;
}

/** What is true about one module's source at one commit. */
export interface SourceFacts {
  readonly module: Name;
  readonly commit: CommitInfo | null;
  /** Null where there is no tree to build from. */
  readonly tree: ObjectId | null;
  readonly manifest: Manifest | null;
  /** The name others import it by; null where it publishes none. */
  readonly publishes: string | null;
  /** By dependency, then kind. */
  readonly edges: readonly SourceEdge[];
  readonly findings: readonly Finding[];
  /** Why it cannot be built as it is; findings say more. */
  readonly problem: SourceProblem | null;
}

export interface Comparison {
  /** In the order given. */
  readonly modules: readonly SourceFacts[];
  /** Files parsed now; the rest came from the cache. */
  readonly parsedFiles: number;
  readonly cachedFiles: number;
}

export interface CompareSources {
  readonly modules: readonly RegisteredModule[];
  readonly repositories: ReadonlyMap<Name, Repository>;
  /** The commit each branch was resolved to, once (case 5), by `headKey`. Null: the branch does not exist. */
  readonly heads: ReadonlyMap<string, ObjectId | null>;
  readonly cache: ImportCache;
  readonly signal?: AbortSignal;
}

export function headKey(repository: Name, branch: string): string {
  return `${repository}#${branch}`;
}

/**
 * Reads every registered module at the resolved commits. Commits that are not here yet are fetched. A repository that
 * does not answer is an UnavailableError for the whole comparison, never a shorter answer (R26).
 */
export async function compareSources(_options: CompareSources): Promise<Comparison> {
  throw new Error("not written yet");
}
