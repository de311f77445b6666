import {
  buildKey,
  type BuildFacts,
  type LastFit,
  type ModuleFacts,
  type RecordedBuild,
} from "../decide/build-facts.ts";
import { planBuilds, type BuildPlan } from "../decide/plan-builds.ts";
import type { Digest, Name } from "../core/names.ts";
import { listBuildsToPlan, type PlannedBuildRecord } from "../store/builds-to-plan.ts";
import type { Queryable } from "../store/database.ts";
import { listEdges } from "../store/edges.ts";
import type { NewerFacts } from "./look-without-keeping.ts";
import { loadMakers } from "./load-makers.ts";
import { listModulesToPlan, type ModuleToPlan } from "../store/modules-to-plan.ts";

export interface BuildSurroundings {
  readonly toolchains: Readonly<Record<string, string>>;
  readonly builders: Readonly<Record<string, string>>;
  readonly settingsFor: (repository: Name) => Readonly<Record<string, string>>;
  readonly running: ReadonlySet<string>;
  readonly now: string;
  readonly lostAfterMs: number;
  /** What was seen of sources since the records were written. */
  readonly newer?: ReadonlyMap<Name, NewerFacts>;
  /** Who asks in order to build: what it claimed itself before, and did not end, is its own to begin again. */
  readonly claimant?: string;
}

/**
 * What the planning of builds reads, and the plan. Which inputs are wanted is known only while planning, so recorded
 * builds are looked up until a plan asks for none that was not looked up.
 */
export async function loadBuildPlan(
  db: Queryable,
  mesh: Name,
  surroundings: BuildSurroundings,
): Promise<{ facts: BuildFacts; plan: BuildPlan; modules: readonly ModuleToPlan[] }> {
  const modules = await listModulesToPlan(db, mesh);
  const edges = await listEdges(db, mesh);
  const known = modules
    .flatMap((module) => [module.wantedInputs, module.fitInputs])
    .filter((inputs) => inputs !== null);
  const builds = new Map<string, PlannedBuildRecord>();
  const asked = new Set<Digest>();
  let wanted: readonly Digest[] = known;
  for (;;) {
    for (const inputs of wanted) asked.add(inputs);
    const found = wanted.length === 0 ? [] : await listBuildsToPlan(db, mesh, wanted);
    for (const build of found)
      if (build.state !== "building" || build.claimant !== surroundings.claimant)
        builds.set(buildKey(build.module, build.inputs), build);
    const facts = toFacts({ modules, edges, builds }, surroundings);
    const plan = planBuilds(facts);
    wanted = plan.ready.map((ready) => ready.inputs).filter((inputs) => !asked.has(inputs));
    if (wanted.length > 0) continue;
    const makers = await loadMakers(db, mesh, plan, facts);
    if (makers.size === 0) return { facts, plan, modules };
    const explained = { ...facts, makers };
    return { facts: explained, plan: planBuilds(explained), modules };
  }
}

interface Records {
  readonly modules: readonly ModuleToPlan[];
  readonly edges: Awaited<ReturnType<typeof listEdges>>;
  readonly builds: ReadonlyMap<string, PlannedBuildRecord>;
}

function toFacts(records: Records, surroundings: BuildSurroundings): BuildFacts {
  const edgesOf = new Map<Name, Records["edges"][number][]>();
  for (const edge of records.edges) {
    const own = edgesOf.get(edge.module);
    if (own === undefined) edgesOf.set(edge.module, [edge]);
    else own.push(edge);
  }
  const facts = new Map<Name, ModuleFacts>();
  for (const module of records.modules) {
    const newer = surroundings.newer?.get(module.name);
    const tree = newer?.tree === undefined ? module.tree : newer.tree;
    const commit = newer?.commit ?? module.sourceCommit;
    // Not compared yet: it has no tree to build from, and the next look gives it one.
    if (tree === null || commit === null) continue;
    const problem = module.problem ?? (module.language === null ? "it has no manifest that can be read" : null);
    facts.set(module.name, {
      module: module.name,
      commit,
      moved: module.moved,
      language: module.language ?? "",
      thirdParties: module.thirdParties,
      settings: surroundings.settingsFor(module.repository),
      problem,
      edges: edgesOf.get(module.name) ?? [],
      lastFit: lastFitOf(module, records.builds),
      ...newer,
      tree,
    });
  }
  return {
    ...surroundings,
    modules: facts,
    makers: new Map(),
    builds: new Map([...records.builds].map(([key, build]) => [key, toRecorded(build)])),
  };
}

function lastFitOf(module: ModuleToPlan, builds: ReadonlyMap<string, PlannedBuildRecord>): LastFit | null {
  if (module.fitInputs === null || module.fitArtifact === null) return null;
  const build = builds.get(buildKey(module.name, module.fitInputs));
  return build === undefined
    ? null
    : { closure: build.closure, commit: build.commit, moved: build.moved, artifact: module.fitArtifact };
}

function toRecorded(build: PlannedBuildRecord): RecordedBuild {
  const { state, artifact, message, heardAt, nextTryAt } = build;
  return { state, artifact, message, startedAt: heardAt, nextTryAt };
}
