import type { Name } from "../core/names.ts";
import type { SituationLimits } from "../decide/situation-facts.ts";
import type { Database } from "../store/database.ts";
import type { ImportCache } from "../source/imports/import-cache.ts";
import type { RepositoryPool } from "./repository-pool.ts";

export interface ControlDependencies {
  readonly db: Database;
  readonly mesh: Name;
  readonly repositories: RepositoryPool;
  readonly imports: ImportCache;
  /** Compiler and runtime by language. */
  readonly toolchains: Readonly<Record<string, string>>;
  readonly builders: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly lostAfterMs: number;
  readonly limits: SituationLimits;
  readonly nowMs: () => number;
  /** Part of ids of pushes and waves, which a person can read. */
  readonly makeSuffix: () => string;
}
