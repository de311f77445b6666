import {
  type BuildEdge,
  buildKey,
  type BuildFacts,
  type LastFit,
  type ModuleFacts,
  type RecordedBuild,
} from "../decide/build-facts.ts";
import { keepLastKnown } from "../decide/keep-last-known.ts";
import { layFacts } from "../decide/layered-facts.ts";
import { planBuilds, type BuildPlan } from "../decide/plan-builds.ts";
import type { Digest, Name } from "../core/names.ts";
import { createKeptRecords, type KeptRecords, type PlanRecords } from "./kept-records.ts";
import { listBuildsToPlan, type PlannedBuildRecord } from "../store/builds-to-plan.ts";
import type { Queryable } from "../store/database.ts";
import type { Edge } from "../store/edges.ts";
import type { NewerFacts } from "./look-without-keeping.ts";
import { loadMakers } from "./load-makers.ts";
import type { ModuleToPlan } from "../store/modules-to-plan.ts";

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
  /** What this process knows of the records, and of plans before. Left out: everything is read. */
  readonly kept?: KeptRecords;
  /** As they were read a moment ago. Left out: read now. */
  readonly planRecords?: PlanRecords;
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
  const kept = surroundings.kept ?? createKeptRecords(db, mesh);
  const records = surroundings.planRecords ?? (await kept.read());
  const { modules } = records;
  const read = inputsRead(modules);
  const asked = new Set<Digest>();
  let builds = takeOthers(records.builds, surroundings.claimant);
  for (;;) {
    const facts = toFacts(kept, { ...records, builds }, surroundings);
    const plan = planBuilds(facts, kept.plans);
    const wanted = plan.ready.map((ready) => ready.inputs).filter((inputs) => !read.has(inputs) && !asked.has(inputs));
    for (const inputs of wanted) asked.add(inputs);
    const found = wanted.length === 0 ? [] : await listBuildsToPlan(db, mesh, wanted);
    if (found.length > 0) {
      const more = new Map(found.map((build) => [buildKey(build.module, build.inputs), build]));
      builds = new Map([...builds, ...takeOthers(more, surroundings.claimant)]);
      continue;
    }
    const makers = await loadMakers(db, mesh, plan, facts);
    if (makers.size === 0) return { facts, plan, modules };
    const explained = { ...facts, makers };
    return { facts: explained, plan: planBuilds(explained, kept.plans), modules };
  }
}

const inputsReadOf = new WeakMap<readonly ModuleToPlan[], ReadonlySet<Digest>>();

/** Builds at these are among the records of the modules already. */
function inputsRead(modules: readonly ModuleToPlan[]): ReadonlySet<Digest> {
  const known =
    inputsReadOf.get(modules) ??
    new Set(
      modules.flatMap(({ wantedInputs, fitInputs }) => [wantedInputs, fitInputs].filter((inputs) => inputs !== null)),
    );
  inputsReadOf.set(modules, known);
  return known;
}

type Builds = PlanRecords["builds"];

/** Without what the asker claimed itself and did not end. */
function takeOthers(builds: Builds, claimant: string | undefined): Builds {
  if (claimant === undefined) return builds;
  const isOwn = (build: PlannedBuildRecord): boolean => build.state === "building" && build.claimant === claimant;
  return [...builds.values()].some(isOwn) ? new Map([...builds].filter(([, build]) => !isOwn(build))) : builds;
}

const recordedOf = new WeakMap<Builds, BuildFacts["builds"]>();

function toRecordedBuilds(builds: Builds): BuildFacts["builds"] {
  const known = recordedOf.get(builds) ?? new Map([...builds].map(([key, build]) => [key, toRecorded(build)]));
  recordedOf.set(builds, known);
  return known;
}

function toFacts(
  kept: KeptRecords,
  records: Pick<PlanRecords, "modules" | "edgesOf" | "builds">,
  surroundings: BuildSurroundings,
): BuildFacts {
  return {
    ...surroundings,
    modules: listFacts(kept, records, surroundings),
    makers: new Map(),
    builds: toRecordedBuilds(records.builds),
  };
}

/** Of the records alone they are kept as they are; what is newer is put in its place. */
function listFacts(
  kept: KeptRecords,
  records: Pick<PlanRecords, "modules" | "edgesOf" | "builds">,
  { settingsFor, newer = nothing }: BuildSurroundings,
): ReadonlyMap<Name, ModuleFacts> {
  const settings = shareSettings(kept, settingsFor);
  const madeFrom = [records.modules, records.edgesOf, records.builds, ...listSettings(records.modules, settings)];
  const before = kept.allFacts.last;
  const isSame = before !== null && isEqualList(before.madeFrom, madeFrom);
  const recorded = isSame ? before.facts : collectFacts(kept, { ...records, settings, newer: nothing });
  if (!isSame) kept.allFacts.last = { madeFrom, facts: recorded };
  if (newer.size === 0) return recorded;
  // One that has no place yet gets it where it would have it: in the order of names.
  if ([...newer.keys()].some((name) => !recorded.has(name))) return collectFacts(kept, { ...records, settings, newer });
  const rows = rowsOf(records.modules);
  const laid = new Map<Name, ModuleFacts | null>();
  for (const name of newer.keys()) {
    const module = rows.get(name);
    if (module !== undefined) laid.set(name, makeFacts(kept, { ...records, settings, newer }, module));
  }
  return layFacts(recorded, laid);
}

const rowsByName = new WeakMap<readonly ModuleToPlan[], ReadonlyMap<Name, ModuleToPlan>>();

function rowsOf(modules: readonly ModuleToPlan[]): ReadonlyMap<Name, ModuleToPlan> {
  const known = rowsByName.get(modules) ?? new Map(modules.map((module) => [module.name, module]));
  rowsByName.set(modules, known);
  return known;
}

const nothing: ReadonlyMap<Name, NewerFacts> = new Map();

const repositoriesOf = new WeakMap<readonly ModuleToPlan[], readonly Name[]>();

function listSettings(
  modules: readonly ModuleToPlan[],
  settings: (repository: Name) => Readonly<Record<string, string>>,
): readonly Readonly<Record<string, string>>[] {
  const names = repositoriesOf.get(modules) ?? [...new Set(modules.map(({ repository }) => repository))];
  repositoriesOf.set(modules, names);
  return names.map(settings);
}

function isEqualList(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((one, at) => one === now[at]);
}

interface FactsOfRecords extends Pick<PlanRecords, "modules" | "edgesOf" | "builds"> {
  readonly settings: (repository: Name) => Readonly<Record<string, string>>;
  readonly newer: ReadonlyMap<Name, NewerFacts>;
}

function collectFacts(kept: KeptRecords, records: FactsOfRecords): Map<Name, ModuleFacts> {
  const facts = new Map<Name, ModuleFacts>();
  for (const module of records.modules) {
    const made = makeFacts(kept, records, module);
    if (made !== null) facts.set(module.name, made);
  }
  return facts;
}

/** Null: not compared yet: it has no tree to build from, and the next look gives it one. */
function makeFacts(kept: KeptRecords, records: FactsOfRecords, module: ModuleToPlan): ModuleFacts | null {
  const newer = records.newer.get(module.name);
  const tree = newer?.tree === undefined ? module.tree : newer.tree;
  const commit = newer?.commit ?? module.sourceCommit;
  if (tree === null || commit === null) return null;
  const edges = records.edgesOf.get(module.name) ?? none;
  const build = fitBuildOf(module, records.builds);
  const settings = records.settings(module.repository);
  const madeFrom = [module, edges, build, settings, newer];
  const before = kept.facts.get(module.name);
  if (before !== undefined && isEqualList(before.madeFrom, madeFrom)) return before.facts;
  const made: ModuleFacts = {
    module: module.name,
    commit,
    moved: module.moved,
    language: module.language ?? "",
    thirdParties: module.thirdParties,
    settings,
    problem: module.problem ?? (module.language === null ? "it has no manifest that can be read" : null),
    unread: module.unread,
    lastFit: shareLastFit(before?.facts.lastFit, lastFitOf(module, build)),
    ...newer,
    edges: newer === undefined ? edges : shareEdges(edges, readEdges(newer, edges, records.modules)),
    tree,
  };
  kept.facts.set(module.name, { madeFrom, facts: made });
  return made;
}

const none: readonly Edge[] = [];

/** As they are kept when they are written: see compare-all.ts. */
function readEdges(newer: NewerFacts, before: readonly Edge[], modules: readonly ModuleToPlan[]): readonly BuildEdge[] {
  const { edges: now = before, areEdgesKnown } = newer;
  if (areEdgesKnown !== false) return now;
  return keepLastKnown<BuildEdge>(now, before, (name) => rowsOf(modules).has(name));
}

/** Equal settings are one object, so that what was made with them is known again. */
function shareSettings(
  kept: KeptRecords,
  settingsFor: BuildSurroundings["settingsFor"],
): (repository: Name) => Readonly<Record<string, string>> {
  const now = new Map<Name, Readonly<Record<string, string>>>();
  return (repository) => {
    const known = now.get(repository);
    if (known !== undefined) return known;
    const [settings, before] = [settingsFor(repository), kept.settings.get(repository)];
    const shared =
      before !== undefined && JSON.stringify(before) === JSON.stringify(settings) ? before : { ...settings };
    now.set(repository, shared);
    kept.settings.set(repository, shared);
    return shared;
  };
}

function fitBuildOf(
  module: ModuleToPlan,
  builds: ReadonlyMap<string, PlannedBuildRecord>,
): PlannedBuildRecord | undefined {
  if (module.fitInputs === null || module.fitArtifact === null) return undefined;
  return builds.get(buildKey(module.name, module.fitInputs));
}

function lastFitOf({ fitArtifact }: ModuleToPlan, build: PlannedBuildRecord | undefined): LastFit | null {
  if (fitArtifact === null || build === undefined) return null;
  return { closure: build.closure, commit: build.commit, moved: build.moved, artifact: fitArtifact };
}

/** What is equal to what was there before is the same object: a graph that was worked out of it holds. */
function shareLastFit(before: LastFit | null | undefined, now: LastFit | null): LastFit | null {
  const isSame = before?.closure === now?.closure && before?.artifact === now?.artifact && before?.moved === now?.moved;
  return before !== undefined && isSame ? before : now;
}

/** Of a module that was read again most often the place of an import is the same, too. */
function shareEdges(before: readonly BuildEdge[], now: readonly BuildEdge[]): readonly BuildEdge[] {
  const isSame =
    before.length === now.length &&
    now.every((edge, at) => {
      const was = before[at];
      return (
        was?.dependency === edge.dependency &&
        was.kind === edge.kind &&
        was.file === edge.file &&
        was.line === edge.line &&
        was.typesOnly === edge.typesOnly &&
        was.lastKnown === edge.lastKnown
      );
    });
  return isSame ? before : now;
}

function toRecorded(build: PlannedBuildRecord): RecordedBuild {
  const { state, artifact, message, startedAt, heardAt, nextTryAt } = build;
  return { state, artifact, message, startedAt, heardAt, nextTryAt };
}
