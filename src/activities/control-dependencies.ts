import type { Name } from "../core/names.ts";
import type { SituationLimits } from "../decide/situation-facts.ts";
import type { Database } from "../store/database.ts";
import type { ImportCache } from "../source/imports/import-cache.ts";
import type { ReadingThread } from "../source/imports/reading-thread.ts";
import type { FetchBounds } from "./fetch-desk.ts";
import type { PushRecords } from "./push-records.ts";
import type { RepositoryPool } from "./repository-pool.ts";
import type { SilentSources } from "./silent-sources.ts";

/** What opening, widening and closing a push needs. */
export interface PushDependencies {
  readonly records: PushRecords;
  readonly limits: SituationLimits;
  readonly nowMs: () => number;
}

export interface ControlDependencies extends PushDependencies {
  /** From 0 up to 1: what failed together is not tried again together. */
  readonly random: () => number;
  readonly db: Database;
  readonly mesh: Name;
  readonly repositories: RepositoryPool;
  /** Which sources are left alone for a while, because they do not answer. */
  readonly silent: SilentSources;
  readonly imports: ImportCache;
  /** Reads files where there are very many. Left out: the thread that answers everybody reads them. */
  readonly thread?: ReadingThread;
  /** Compiler and runtime by language, as they are now. */
  readonly describeToolchains: () => Readonly<Record<string, string>>;
  readonly builders: Readonly<Record<string, string>>;
  /** Settings of the mesh that reach the builds of a repository's modules. */
  readonly settingsFor: (repository: Name) => Readonly<Record<string, string>>;
  readonly lostAfterMs: number;
  /** Behind for so long without a verdict, a module has newer commits of what it is built against wait for it. */
  readonly starvedAfterMs: number;
  /** How long a comparison waits for sources. `fetchBounds` where it is left out. */
  readonly fetches?: FetchBounds;
  /** Part of ids of pushes and waves, which a person can read. */
  readonly makeSuffix: () => string;
}
