import { Context } from "@temporalio/activity";
import type { Closure, Verdict } from "../core/artifact.ts";
import { InputError } from "../core/errors.ts";
import { atStep } from "../core/failpoints.ts";
import type { Digest, Name } from "../core/names.ts";
import {
  buildModule as buildAtInputs,
  type BuildDependency,
  type BuildFolders,
  type BuiltModule,
} from "../build/build-module.ts";
import type { ArtifactStore } from "../build/artifact-store.ts";
import { judgeError } from "../build/judge-error.ts";
import type { Registries } from "../build/builders/builder.ts";
import { type Sandbox, type SandboxLimits, sandboxLimits } from "../build/sandbox.ts";
import { waitForNextVersion } from "../decide/wait-for-next-version.ts";
import type { BuildEdge } from "../decide/build-facts.ts";
import type { BuildPlan, PlannedBuild } from "../decide/plan-builds.ts";
import { retryInMs } from "../decide/retry-builds.ts";
import { describeFinding } from "../source/finding.ts";
import { nestedPaths } from "../source/nested-paths.ts";
import { doubtArtifact } from "../store/artifact-doubts.ts";
import { getArtifact, putArtifact } from "../store/artifacts.ts";
import { claimBuild, getBuild, recordVerdict, type BuildRecord } from "../store/builds.ts";
import type { Database, Transaction } from "../store/database.ts";
import { recordJudged } from "../store/held-sources.ts";
import { recordFit } from "../store/module-plans.ts";
import { getModule } from "../store/modules.ts";
import type { ModuleToPlan } from "../store/modules-to-plan.ts";
import { getRepository } from "../store/repositories.ts";
import { inTransaction } from "../store/transaction.ts";
import { attendBuild } from "./attend-build.ts";
import type { BuildResult } from "./build-result.ts";
import { keepProvenance, type BuiltStory, type Builder } from "./keep-provenance.ts";
import { noteGivenUp } from "./note-given-up.ts";
import { noteRebuilt } from "./note-rebuilt.ts";
import { planSecondBuild } from "./plan-second-build.ts";
import { keptFor } from "./kept-records.ts";
import { loadBuildPlan } from "./load-build-facts.ts";
import { newestCommitOf } from "./newest-commit.ts";
import type { RepositoryPool } from "./repository-pool.ts";
import { stopAtBadInput } from "./stop-at-bad-input.ts";
import { buildRequestSchema, readWorkflowInput } from "./workflow-input.ts";

export interface BuildDependencies {
  readonly db: Database;
  readonly mesh: Name;
  readonly repositories: RepositoryPool;
  readonly artifacts: ArtifactStore;
  /** By the repository that the module is from. */
  readonly sandboxFor: (repository: Name) => Sandbox;
  readonly folders: BuildFolders;
  /** Instead of the public ones. */
  readonly registries: Partial<Registries>;
  /** Instead of the defaults. */
  readonly limits: Partial<SandboxLimits>;
  readonly describeToolchains: () => Readonly<Record<string, string>>;
  readonly builders: Readonly<Record<string, string>>;
  /** Settings of the mesh that reach the builds of a repository's modules. */
  readonly settingsFor: (repository: Name) => Readonly<Record<string, string>>;
  readonly lostAfterMs: number;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly builder: Builder;
}

export type BuildActivities = ReturnType<typeof createBuildActivities>;

export interface BuildRequest {
  readonly mesh: string;
  readonly module: string;
  readonly inputs: string;
}

export function createBuildActivities(deps: BuildDependencies) {
  return {
    /**
     * Builds and judges one module at exact inputs, at most once (R9). What somebody else judged is answered from the
     * record; inputs that nobody wants any more are *superseded*. An environment that failed is a verdict too (R11).
     */
    buildModule: (given: BuildRequest): Promise<BuildResult> => stopAtBadInput(() => buildPlanned(deps, given)),
  };
}

async function buildPlanned(deps: BuildDependencies, given: BuildRequest): Promise<BuildResult> {
  const request = readWorkflowInput(buildRequestSchema, deps.mesh, given);
  const claimant =
    Context.current().info.workflowExecution?.workflowId ?? `activity ${Context.current().info.activityId}`;
  const { facts, plan, modules } = await loadBuildPlan(deps.db, deps.mesh, {
    ...deps,
    toolchains: deps.describeToolchains(),
    claimant,
    running: new Set(),
    now: new Date(deps.nowMs()).toISOString(),
    kept: keptFor(deps.db, deps.mesh),
  });
  const planned = plan.ready.find((one) => one.module === request.module && one.inputs === request.inputs);
  if (planned === undefined) return answerUnplanned(deps, request, plan);
  const module = await atNewestCommit(
    deps,
    modules.find((one) => one.name === request.module),
  );
  if (module === undefined || module.sourceCommit === null)
    throw new Error(`module ${request.module} was planned and is not there`);
  const wanted = {
    module: planned.module,
    inputs: planned.inputs,
    closure: planned.closure,
    commit: module.sourceCommit,
    claimant,
    staleMs: deps.lostAfterMs,
  };
  const claim = await atStep("build.claim", () => claimBuild(deps.db, deps.mesh, wanted));
  if (claim.kind === "judged") return toResult(claim.build);
  if (claim.kind === "building")
    throw new Error(`${request.module} is being built at these inputs by ${claim.build.claimant}`);
  return buildClaimed(deps, {
    planned,
    module,
    modules,
    edges: facts.modules.get(module.name)?.edges ?? [],
    lastFit: facts.modules.get(module.name)?.lastFit?.closure ?? null,
    attempt: claim.attempt,
  });
}

/** Its source as it was planned, at the newest commit that has it. */
async function atNewestCommit(
  { db, mesh }: BuildDependencies,
  planned: ModuleToPlan | undefined,
): Promise<ModuleToPlan | undefined> {
  if (planned === undefined) return undefined;
  const sourceCommit = newestCommitOf(planned, await getModule(db, mesh, planned.name));
  return sourceCommit === null ? planned : { ...planned, sourceCommit };
}

interface Claimed {
  readonly planned: PlannedBuild;
  readonly module: ModuleToPlan;
  readonly modules: readonly ModuleToPlan[];
  readonly edges: readonly BuildEdge[];
  readonly lastFit: Closure | null;
  readonly attempt: number;
}

async function buildClaimed(deps: BuildDependencies, claimed: Claimed): Promise<BuildResult> {
  const { planned, module, attempt } = claimed;
  const { db, mesh } = deps;
  const attendance = attendBuild({ db, mesh, build: { module: planned.module, inputs: planned.inputs, attempt } });
  const startedOn = new Date(deps.nowMs()).toISOString();
  try {
    const repository = await getRepository(deps.db, deps.mesh, module.repository);
    if (repository === null)
      throw new InputError(`repository ${module.repository} of ${module.name} is not registered`);
    const built = await buildAtInputs({
      closure: planned.closure,
      source: {
        repository: await deps.repositories.open(repository),
        branch: module.branch,
        commit: module.sourceCommit ?? "",
        path: module.path,
        without: nestedPaths(
          { ...module, module: module.name },
          claimed.modules.map((one) => ({ ...one, module: one.name })),
        ),
      },
      dependencies: await readDependencies(deps, claimed),
      store: deps.artifacts,
      sandbox: deps.sandboxFor(module.repository),
      folders: deps.folders,
      registries: deps.registries,
      limits: { ...sandboxLimits, ...deps.limits },
      signal: attendance.signal,
      onLog: attendance.addLog,
    });
    let verdict =
      waitForNextVersion({ ...built, closure: planned.closure, lacks: built.lacks ?? [], lastFit: claimed.lastFit }) ??
      built.verdict;
    const { artifact, manifest } = built;
    if (artifact !== null && manifest !== null) {
      await atStep("build.artifact", () => putArtifact(deps.db, deps.mesh, artifact, manifest));
      const story = { artifact, manifest, startedOn, url: repository.url };
      verdict = (await tellProvenance(deps, claimed, story)) ?? verdict;
    }
    if (verdict.verdict === "outstanding" && verdict.class === "artifact-store") await doubtDependencies(deps, claimed);
    // Who follows reads the last of the log before the verdict.
    await attendance.writeRest();
    return await atStep("build.verdict", () => keepVerdict(deps, claimed, { ...built, verdict }));
  } catch (error) {
    if (attendance.isGivenUp()) await noteGivenUp(deps, { ...planned, attempt });
    throw error;
  } finally {
    await attendance.close();
  }
}

/** A fit artifact has its statement before it has its verdict. Null: it has; else what the environment did instead. */
async function tellProvenance(
  deps: BuildDependencies,
  { planned, module, attempt }: Claimed,
  story: Pick<BuiltStory, "artifact" | "manifest" | "startedOn"> & { readonly url: string },
): Promise<Verdict | null> {
  const { workflowExecution } = Context.current().info;
  try {
    await keepProvenance(deps, {
      ...story,
      closure: planned.closure,
      source: { url: story.url, branch: module.branch, path: module.path, commit: module.sourceCommit ?? "" },
      invocationId: `${workflowExecution?.workflowId ?? "activity"}/${workflowExecution?.runId ?? ""}/${attempt}`,
      finishedOn: new Date(deps.nowMs()).toISOString(),
    });
    return null;
  } catch (error) {
    const verdict = judgeError(error);
    if (verdict === null || verdict.verdict === "unfit") throw error;
    return verdict;
  }
}

async function readDependencies(deps: BuildDependencies, { planned, edges }: Claimed): Promise<BuildDependency[]> {
  const dependencies: BuildDependency[] = [];
  for (const [module, digest] of Object.entries(planned.closure.dependencies)) {
    const found = await getArtifact(deps.db, deps.mesh, module, digest);
    if (found === null) throw new Error(`artifact ${digest} of ${module} is in a closure and not in the records`);
    const kind = edges.some((edge) => edge.dependency === module && edge.kind === "build") ? "build" : "test";
    dependencies.push({ module, kind, artifact: found.artifact });
  }
  return dependencies;
}

/** One of them could not be read: which ones are lost is looked at, and those are built again. */
async function doubtDependencies({ db, mesh }: BuildDependencies, { planned }: Claimed): Promise<void> {
  for (const [module, artifact] of Object.entries(planned.closure.dependencies))
    await doubtArtifact(db, mesh, { module, artifact }, "build");
}

/** The verdict and what follows from it are one commit: no module is fit without its fit artifact (R13). */
async function keepVerdict(
  deps: BuildDependencies,
  claimed: Claimed,
  { verdict, logTail, log, findings }: BuiltModule,
): Promise<BuildResult> {
  const { module, inputs } = claimed.planned;
  const kept = await inTransaction(deps.db, { isolation: "read committed" }, async (tx) => {
    const isKept = await recordVerdict(tx, deps.mesh, {
      module,
      inputs,
      attempt: claimed.attempt,
      verdict,
      // What the builder noticed (no tests at all, say) begins its log too: it does not change the verdict.
      logTail: `${findings.map((finding) => `${describeFinding(finding)}\n`).join("")}${logTail}`,
      log,
      findings,
      retryInMs: retryInMs(claimed.attempt, deps.random()),
    });
    if (!isKept) return false;
    await recordJudged(tx, deps.mesh, module);
    if (verdict.verdict === "fit") await keepFit(tx, deps.mesh, { module, inputs, artifact: verdict.artifact });
    return true;
  });
  if (!kept) return { module, state: "superseded", artifact: null, message: "another attempt judged it" };
  const message = verdict.verdict === "fit" ? "" : verdict.message;
  return { module, state: verdict.verdict, artifact: verdict.verdict === "fit" ? verdict.artifact : null, message };
}

async function keepFit(
  tx: Transaction,
  mesh: Name,
  fit: { readonly module: Name; readonly inputs: Digest; readonly artifact: Digest },
): Promise<void> {
  await noteRebuilt(tx, mesh, fit);
  await recordFit(tx, mesh, fit);
  await planSecondBuild(tx, mesh, fit);
}

/**
 * Not to be built now. Where these inputs have a verdict, by an attempt whose worker died before it could answer, it is
 * that one; an outstanding one only while they are still wanted, because it says nothing of inputs that nobody tries.
 */
async function answerUnplanned(
  { db, mesh }: BuildDependencies,
  { module, inputs }: BuildRequest,
  plan: BuildPlan,
): Promise<BuildResult> {
  const build = await getBuild(db, mesh, module, inputs);
  const isTriedAgain = plan.outstanding.some((one) => one.module === module && one.inputs === inputs);
  if (build?.state === "fit" || build?.state === "unfit" || (build?.state === "outstanding" && isTriedAgain))
    return toResult(build);
  return { module, state: "superseded", artifact: null, message: "its inputs moved before they had a verdict" };
}

function toResult(build: BuildRecord): BuildResult {
  if (build.state === "building") throw new Error(`${build.module} has no verdict yet`);
  return { module: build.module, state: build.state, artifact: build.artifact, message: build.message };
}
