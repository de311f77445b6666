import { InputError } from "../core/errors.ts";
import type { Name, ObjectId } from "../core/names.ts";
import type { BuildEdge } from "../decide/build-facts.ts";
import { keepLastKnown } from "../decide/keep-last-known.ts";
import { isOwnLook } from "../decide/own-reasons.ts";
import { rebuildSet } from "../decide/rebuild-set.ts";
import { compareSources, headKey } from "../source/compare-sources.ts";
import type { SourceFacts } from "../source/source-facts.ts";
import type { Repository } from "../source/repository.ts";
import { recordBuiltWith } from "../store/build-surroundings.ts";
import { replaceEdges } from "../store/edges.ts";
import { type PlanVersion, readPlanVersion } from "../store/plan-version.ts";
import { listRepositories } from "../store/repositories.ts";
import { recordSourceFacts } from "../store/source-facts.ts";
import { clearCondition, listConditions } from "../store/conditions.ts";
import { listHeads, recordCompared, recordFactsCommit } from "../store/source-heads.ts";
import { recordHeldCommits } from "../store/held-sources.ts";
import { recordUnread } from "../store/unread-modules.ts";
import { extendWave } from "../store/extend-wave.ts";
import { openWave } from "../store/waves.ts";
import { damagedCloneCode } from "./note-damaged-clone.ts";
import type { ControlDependencies } from "./control-dependencies.ts";
import type { ComparisonRequest } from "./control-types.ts";
import { keptFor, type PlanRecords } from "./kept-records.ts";
import { holdFacts, surroundingsOf } from "./hold-facts.ts";
import { loadBuildPlan } from "./load-build-facts.ts";
import { askSettled } from "./remember-settled.ts";
import { type FetchedHeads, fetchHeads } from "./fetch-heads.ts";
import { fetchCode, lookAtSources } from "./look-at-sources.ts";

/**
 * One whole comparison: look, read what moved, keep what was read, announce what may be rebuilt. The tips it saw are
 * marked as compared last of all, so a comparison that was cut short is made again (R7).
 */
export async function compareAll(
  deps: ControlDependencies,
  request: ComparisonRequest,
  signal: AbortSignal,
): Promise<{ wave: string | null }> {
  const silent = new Set<Name>();
  const onLook = (repository: Name, came: "answered" | "no answer"): void => {
    deps.silent.heard(repository, came);
    if (came === "no answer") silent.add(repository);
  };
  // All others would wait for those that hang. Who asks in person has them asked.
  const mayRest = isOwnLook(request.reasons);
  const isAsked = (repository: Name): boolean => {
    if (!mayRest || deps.silent.isDue(repository)) return true;
    silent.add(repository);
    return false;
  };
  // At once: what is written to the records from here on is another version for the next comparison.
  const looking = lookAtSources(deps, { signal, onLook, isAsked });
  const [looked, version] = await Promise.all([looking, readPlanVersion(deps.db, deps.mesh)]);
  const repositories = await openRepositories(deps);
  const urls = new Map([...repositories].map(([name, { url }]) => [name, url]));
  const said = await listConditions(deps.db, deps.mesh);
  const damaged = said.filter(({ code }) => code === damagedCloneCode);
  const unfetched = said.filter(({ code }) => code === fetchCode);
  const asked = askSettled(deps, { repositories: urls, heads: looked, away: new Map(), version });
  if (asked.isKnown && damaged.length + unfetched.length === 0) {
    // Nothing would be read: no clone is asked either.
    await keepSurroundings(deps, repositories);
    await markCompared(deps, looked);
    return { wave: request.wave };
  }
  const fetched = await fetchHeads(deps, repositories, { looked, silent, unfetched, signal });
  const { heads, away } = fetched;
  // Of a tip that was compared once, and is not here any more, nothing can be read either.
  const isAsLooked = away.size === 0 && [...looked].every(([head, commit]) => heads.get(head) === commit);
  // What was not as it was looked at had to be waited for.
  const now = isAsLooked ? version : await readPlanVersion(deps.db, deps.mesh);
  const settled = isAsLooked ? asked : askSettled(deps, { repositories: urls, heads, away, version: now });
  const read = settled.isKnown ? 0 : await readModules(deps, { ...fetched, repositories, version: now, signal });
  await keepSurroundings(deps, repositories);
  const { wave, isQuiet } = settled.isKnown ? { wave: request.wave, isQuiet: false } : await announce(deps, request);
  if (read === 0 && isQuiet) await settled.remember();
  await markCompared(deps, heads);
  // Everything was read from the clones: whichever was damaged is whole again, where its source sent it again.
  const isAway = (repository: string): boolean => [...away.keys()].some((head) => head.startsWith(`${repository}#`));
  for (const { code, subject } of damaged)
    if (!isAway(subject)) await clearCondition(deps.db, deps.mesh, { code, subject });
  return { wave };
}

interface Reading extends FetchedHeads {
  readonly repositories: ReadonlyMap<Name, Repository>;
  readonly version: PlanVersion;
  readonly signal: AbortSignal;
}

/** Reads what moved and keeps it. Answers how many modules were read. */
async function readModules(
  deps: ControlDependencies,
  { repositories, heads, away, brought, version, signal }: Reading,
): Promise<number> {
  const kept = keptFor(deps.db, deps.mesh);
  const records = await kept.read(version);
  if (records.modules.length === 0) return 0;
  const comparison = await compareSources({
    modules: records.registered,
    repositories,
    heads,
    away,
    brought,
    doubted: new Set(records.modules.flatMap(({ name, unread }) => (unread === null ? [] : [name]))),
    known: records.known,
    memory: kept.sources,
    cache: deps.imports,
    thread: deps.thread,
    signal,
  });
  const { facts, heldCommits } = await holdFacts(deps, records, comparison.modules);
  await noteHeads(deps, repositories, new Map([...heads].filter(([head]) => !away.has(head))));
  await keepFacts(deps, facts, records);
  await recordHeldCommits(deps.db, deps.mesh, heldCommits);
  await recordUnread(deps.db, deps.mesh, comparison.unread);
  return comparison.modules.length;
}

/**
 * What is not read again is true of the new commits too. Said with the branch, before anything of them is written: until
 * they are marked as compared, each module's own commit counts.
 */
async function noteHeads(
  deps: ControlDependencies,
  repositories: ReadonlyMap<Name, Repository>,
  heads: ReadonlyMap<string, ObjectId | null>,
): Promise<void> {
  for (const { repository, branch, factsCommit } of await listHeads(deps.db, deps.mesh)) {
    const commit = heads.get(headKey(repository, branch)) ?? null;
    const opened = repositories.get(repository);
    if (commit === null || commit === factsCommit || opened === undefined) continue;
    await recordFactsCommit(deps.db, deps.mesh, { repository, branch, commit: await opened.commitInfo(commit) });
  }
}

/** Those that can be opened. An address that we refuse was noted by the look before: it stops no other repository. */
async function openRepositories(deps: ControlDependencies): Promise<Map<Name, Repository>> {
  const opened = new Map<Name, Repository>();
  for (const repository of await listRepositories(deps.db, deps.mesh)) {
    try {
      opened.set(repository.name, await deps.repositories.open(repository));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
  return opened;
}

/** So that whoever explains a plan from the records alone explains with what this controller builds with. */
async function keepSurroundings(deps: ControlDependencies, repositories: ReadonlyMap<Name, unknown>): Promise<void> {
  const settings = Object.fromEntries([...repositories.keys()].map((name) => [name, deps.settingsFor(name)]));
  await recordBuiltWith(deps.db, deps.mesh, {
    toolchains: deps.describeToolchains(),
    builders: deps.builders,
    settings,
  });
}

async function keepFacts(
  deps: ControlDependencies,
  facts: readonly SourceFacts[],
  { modules, edgesOf }: Pick<PlanRecords, "modules" | "edgesOf">,
): Promise<void> {
  if (facts.length === 0) return;
  const names = new Set(modules.map(({ name }) => name));
  const keepEdges = ({ module, edges, areEdgesKnown }: SourceFacts): readonly BuildEdge[] =>
    areEdgesKnown ? edges : keepLastKnown(edges, edgesOf.get(module) ?? [], (name) => names.has(name));
  // Before the facts, which say that this was done: cut short in between, it is done again.
  await replaceEdges(
    deps.db,
    deps.mesh,
    facts.map((fact) => ({ module: fact.module, edges: keepEdges(fact) })),
  );
  await recordSourceFacts(
    deps.db,
    deps.mesh,
    facts.map((fact) => ({
      module: fact.module,
      sourceCommit: fact.commit?.id ?? null,
      sourceCommitAt: fact.commit?.at ?? null,
      sourceSubject: fact.commit?.subject ?? null,
      tree: fact.tree,
      thirdParties: fact.thirdParties,
      manifest: fact.manifest,
      findings: [...fact.findings],
      problem: fact.problem?.message ?? null,
      known: fact.known,
    })),
  );
}

/**
 * What may be rebuilt, said before it is (R9). Sources that moved in the middle of a wave belong to that wave. `isQuiet`:
 * nothing, and nothing becomes due by time alone.
 */
async function announce(
  deps: ControlDependencies,
  request: ComparisonRequest,
): Promise<{ readonly wave: string | null; readonly isQuiet: boolean }> {
  const { facts, plan } = await loadBuildPlan(deps.db, deps.mesh, surroundingsOf(deps));
  const announced = rebuildSet(facts, { plan, memory: keptFor(deps.db, deps.mesh).plans });
  if (announced.length === 0)
    return { wave: request.wave, isQuiet: plan.building.length + plan.outstanding.length === 0 };
  if (request.wave !== null) {
    const modules = announced.map((one) => one.module);
    if (await extendWave(deps.db, deps.mesh, request.wave, modules)) return { wave: request.wave, isQuiet: false };
    // It ended meanwhile: nobody waited for this attempt, and another one went on. What is still to be built by now is another
    // wave's, which the next plan accounts for where nobody goes on with it.
    return announce(deps, { ...request, wave: null });
  }
  const id = `${new Date(deps.nowMs()).toISOString().slice(0, 19).replaceAll(":", "")}-${deps.makeSuffix()}`;
  await openWave(deps.db, deps.mesh, {
    id,
    reason: [...request.reasons, ...announced.slice(0, 3).map((one) => one.why)].join("; ").slice(0, 1000),
    announced: announced.map((one) => one.module),
  });
  return { wave: id, isQuiet: false };
}

async function markCompared(deps: ControlDependencies, heads: ReadonlyMap<string, ObjectId | null>): Promise<void> {
  for (const head of await listHeads(deps.db, deps.mesh)) {
    const commit = heads.get(headKey(head.repository, head.branch));
    if (commit !== null && commit !== undefined && commit !== head.comparedCommit)
      await recordCompared(deps.db, deps.mesh, { repository: head.repository, branch: head.branch, commit });
  }
}
