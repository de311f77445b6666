import type { ArtifactStore } from "../build/artifact-store.ts";
import { buildAgain, type SecondBuild } from "../build/build-again.ts";
import type { BuildDependency, BuildFolders } from "../build/build-module.ts";
import type { Registries } from "../build/builders/builder.ts";
import { type Sandbox, type SandboxLimits, sandboxLimits } from "../build/sandbox.ts";
import type { Closure } from "../core/artifact.ts";
import type { Name, ObjectId } from "../core/names.ts";
import { nestedPaths } from "../source/nested-paths.ts";
import { doubtArtifact } from "../store/artifact-doubts.ts";
import { getArtifact, type ArtifactRecord } from "../store/artifacts.ts";
import { dropBuildCheck, recordCheck, recordCheckFailure, takeDueCheck } from "../store/build-check-queue.ts";
import type { BuildCheck } from "../store/build-checks.ts";
import { getBuild } from "../store/builds.ts";
import { clearCondition, observeCondition } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { getModule, type ModuleRecord } from "../store/modules.ts";
import { getRepository } from "../store/repositories.ts";
import { keptFor, type PlanRecords } from "./kept-records.ts";
import { newestCommitOf } from "./newest-commit.ts";
import type { RepositoryPool } from "./repository-pool.ts";

export interface CheckDependencies {
  readonly db: Database;
  readonly mesh: Name;
  readonly repositories: RepositoryPool;
  readonly artifacts: ArtifactStore;
  readonly sandboxFor: (repository: Name) => Sandbox;
  readonly folders: BuildFolders;
  /** Both as the first build has them: what is not there, or is killed, could not be compared. */
  readonly registries: Partial<Registries>;
  readonly limits: Partial<SandboxLimits>;
  readonly describeToolchains: () => Readonly<Record<string, string>>;
  readonly builders: Readonly<Record<string, string>>;
  readonly lostAfterMs: number;
  readonly signal: AbortSignal;
}

/** `asked-again`: somebody asked for another one while this one ran. */
export type CheckResult = "none" | "same" | "differs" | "dropped" | "failed" | "asked-again";

/** Tried again after so long, doubled at each attempt up to six hours. */
const firstRetryMs = 300_000;
const longestRetryMs = 6 * 3600_000;
const farthestTryMs = longestRetryMs + 60_000;
/** A second build that could not run so often is a condition (R33). */
const patience = 3;

/**
 * Builds the next due inputs a second time and keeps what the comparison says. It changes no verdict, no artifact and
 * no plan: a difference is a label on the module, shown by `status` and `artifact show`, and never a wave.
 */
export async function checkNextBuild(deps: CheckDependencies): Promise<CheckResult> {
  const { db, mesh, lostAfterMs } = deps;
  const check = await takeDueCheck(db, mesh, { retryInMs: lostAfterMs, lostAfterMs, farthestTryMs });
  if (check === null) return "none";
  const found = await findWhatWasBuilt(deps, check);
  if (found === null) return drop(deps, check);
  // Nobody can compare with what is lost: it is looked at, and built again.
  if (!(await deps.artifacts.hasBlob(found.first.artifact.blob))) {
    await doubtArtifact(db, mesh, check, "build");
    return drop(deps, check);
  }
  let second: SecondBuild;
  try {
    second = await runAgain(deps, check, found);
  } catch (error) {
    deps.signal.throwIfAborted();
    second = { kind: "not-fit", why: error instanceof Error ? error.message : String(error) };
  }
  return second.kind === "compared" ? keepComparison(deps, check, second) : keepFailure(deps, check, second.why);
}

async function drop({ db, mesh }: CheckDependencies, check: BuildCheck): Promise<CheckResult> {
  if (!(await dropBuildCheck(db, mesh, check))) return "asked-again";
  // What kept failing is not tried any more.
  await clearCondition(db, mesh, { code: "second-build-failing", subject: check.module });
  return "dropped";
}

interface Found {
  readonly closure: Closure;
  readonly commit: ObjectId;
  readonly first: ArtifactRecord;
  readonly module: ModuleRecord;
  readonly registered: PlanRecords["registered"];
  readonly dependencies: readonly BuildDependency[];
}

/**
 * Null: the source, a tool or what is kept has moved on since the first build, so that a second one would be of something
 * else. The next build of the module is compared in its place.
 */
async function findWhatWasBuilt(deps: CheckDependencies, check: BuildCheck): Promise<Found | null> {
  const { db, mesh } = deps;
  const build = await getBuild(db, mesh, check.module, check.inputs);
  const first = await getArtifact(db, mesh, check.module, check.artifact);
  const module = await getModule(db, mesh, check.module);
  if (build === null || first === null || first.collectedAt !== null || module === null) return null;
  const { closure } = build;
  const commit = newestCommitOf(closure, module);
  if (commit === null) return null;
  if (deps.describeToolchains()[closure.language] !== closure.toolchain) return null;
  if (deps.builders[closure.language] !== closure.builder) return null;
  // Of all modules only what moved since it was read last: there are as many second builds as modules.
  const { edgesOf, registered } = await keptFor(db, mesh).read();
  const edges = edgesOf.get(check.module) ?? [];
  const dependencies: BuildDependency[] = [];
  for (const [name, digest] of Object.entries(closure.dependencies)) {
    const artifact = await getArtifact(db, mesh, name, digest);
    if (artifact === null || artifact.collectedAt !== null) return null;
    const kind = edges.some((edge) => edge.dependency === name && edge.kind === "build") ? "build" : "test";
    dependencies.push({ module: name, kind, artifact: artifact.artifact });
  }
  return { closure, commit, first, module, registered, dependencies };
}

async function runAgain(deps: CheckDependencies, check: BuildCheck, found: Found): Promise<SecondBuild> {
  const { module, closure, commit } = found;
  const repository = await getRepository(deps.db, deps.mesh, module.repository);
  if (repository === null) throw new Error(`repository ${module.repository} of ${check.module} is not registered`);
  return await buildAgain({
    first: found.first.artifact,
    closure,
    source: {
      repository: await deps.repositories.open(repository),
      branch: module.branch,
      commit,
      path: module.path,
      without: nestedPaths({ ...module, module: module.name }, found.registered),
    },
    dependencies: found.dependencies,
    store: deps.artifacts,
    sandbox: deps.sandboxFor(module.repository),
    folders: deps.folders,
    registries: deps.registries,
    limits: { ...sandboxLimits, ...deps.limits },
    signal: deps.signal,
  });
}

async function keepComparison(
  { db, mesh }: CheckDependencies,
  check: BuildCheck,
  compared: Extract<SecondBuild, { kind: "compared" }>,
): Promise<CheckResult> {
  const { module, artifact } = check;
  const { second, files, varied } = compared;
  const state = second === artifact ? "same" : "differs";
  if (!(await recordCheck(db, mesh, { ...check, state, second, files, varied }))) return "asked-again";
  await clearCondition(db, mesh, { code: "second-build-failing", subject: module });
  const condition = { code: "not-reproducible", subject: module };
  if (state === "same") await clearCondition(db, mesh, condition);
  else
    await observeCondition(db, mesh, {
      ...condition,
      message: `${module} is not reproducible: built twice from the same inputs, ${files.length} files differ: ${files.slice(0, 10).join("; ")}`,
      remedy: `keep clocks, random numbers and the order of things out of what it writes; until then every rebuild of ${module} rebuilds what is built against it`,
      urgent: false,
    });
  return state;
}

async function keepFailure({ db, mesh }: CheckDependencies, check: BuildCheck, why: string): Promise<CheckResult> {
  const { module } = check;
  const retryInMs = Math.min(firstRetryMs * 2 ** Math.min(check.attempts - 1, 20), longestRetryMs);
  if (!(await recordCheckFailure(db, mesh, { ...check, failure: why, retryInMs }))) return "asked-again";
  if (check.attempts >= patience)
    await observeCondition(db, mesh, {
      code: "second-build-failing",
      subject: module,
      message: `${module} was fit once, and its second build did not come out fit ${check.attempts} times: ${why}`,
      remedy: "its verdict stands; look whether its tests depend on the moment, or the machine lacks something",
      urgent: false,
    });
  return "failed";
}
