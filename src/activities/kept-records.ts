import type { KnownSource } from "../core/known-source.ts";
import type { Name } from "../core/names.ts";
import { buildKey, type ModuleFacts } from "../decide/build-facts.ts";
import { compareText } from "../decide/short-names.ts";
import { createPlanMemory, type PlanMemory } from "../decide/plan-memory.ts";
import type { Stand } from "../decide/stand-of-module.ts";
import { createSourceMemory, type SourceMemory } from "../source/source-memory.ts";
import type { RegisteredModule } from "../source/source-facts.ts";
import { listPlannedBuilds, type PlannedBuildRecord } from "../store/builds-to-plan.ts";
import type { Queryable } from "../store/database.ts";
import { type Edge, listEdges } from "../store/edges.ts";
import { readModuleRows, readOtherRows, readPlanRows } from "../store/plan-rows.ts";
import { listModulesToPlan, type ModuleToPlan } from "../store/modules-to-plan.ts";
import {
  type PlanParts,
  planParts,
  type PlanVersion,
  readPlanParts,
  readPlanVersion,
  readSeen,
  type Seen,
} from "../store/plan-version.ts";

/** What comparisons and plans read of the records. A row that nobody wrote since is the same object as before. */
export interface PlanRecords {
  /** By name. */
  readonly modules: readonly ModuleToPlan[];
  readonly edgesOf: ReadonlyMap<Name, readonly Edge[]>;
  /** By `buildKey`: those at the inputs that modules want, or that were fit. */
  readonly builds: ReadonlyMap<string, PlannedBuildRecord>;
  /** As `compareSources` takes them. */
  readonly registered: readonly RegisteredModule[];
  readonly known: ReadonlyMap<Name, KnownSource>;
}

/** What comparisons begin with. */
export type ComparedWith = Pick<PlanRecords, "registered" | "known">;

export interface ReadApart {
  readonly first: Promise<ComparedWith>;
  /** Has the `registered` and `known` of `first`, unless somebody wrote in between. */
  readonly whole: Promise<PlanRecords>;
}

/**
 * Records as this process last read them, with what was worked out from them. Each reading asks first what was changed, by
 * whomever, and reads that again: so it is never older than the moment it was asked for.
 */
export interface KeptRecords {
  /** `version`: where it was asked for a moment ago; the records are not older than it. */
  read(version?: PlanVersion): Promise<PlanRecords>;
  /** As they were read last: they may be others by now. Null: not read yet. */
  lastRead(): PlanRecords | null;
  /** Where they were not read yet: the modules come first, for whoever can begin with them. */
  readApart(): ReadApart;
  readonly plans: PlanMemory;
  readonly sources: SourceMemory;
  /** Facts of modules as the last plan had them. */
  readonly facts: Map<Name, KeptFacts>;
  /** All of them together, as the records alone have them. */
  readonly allFacts: { last: AllFacts | null };
  /** What the verdicts of each module came to that stood ill in the last plan. */
  readonly repeats: Map<Name, JudgedStand>;
  /** By repository. */
  readonly settings: Map<Name, Readonly<Record<string, string>>>;
}

export interface KeptFacts {
  readonly madeFrom: readonly unknown[];
  readonly facts: ModuleFacts;
}

export interface JudgedStand {
  readonly stand: Stand;
  /** Of the condition that its verdicts make; null: none. */
  readonly code: string | null;
  /** Ms since 1970: then the same verdicts come to something else. Null: never. */
  readonly untilMs: number | null;
}

export interface AllFacts {
  readonly madeFrom: readonly unknown[];
  readonly facts: ReadonlyMap<Name, ModuleFacts>;
}

export function createKeptRecords(db: Queryable, mesh: Name): KeptRecords {
  let last: Known | null = null;
  return {
    plans: createPlanMemory(),
    sources: createSourceMemory(),
    facts: new Map(),
    allFacts: { last: null },
    repeats: new Map(),
    settings: new Map(),
    lastRead: () => last?.records ?? null,
    readApart: () => {
      const modules = readModuleRows(db, mesh).then((rows) => ({ ...rows, ...indexModules(rows.modules) }));
      const whole = readRest(db, mesh, modules).then((known) => (last = known).records);
      return { first: modules, whole };
    },
    read: async (asked) => {
      const before = last;
      if (before === null) last = await readAll(db, mesh);
      else {
        // First of all: the records are not older than what was seen.
        const seen = asked === undefined ? await readSeen(db) : null;
        if (isSameSeen(before.seen, seen)) return before.records;
        const { server, total } = asked ?? (await readPlanVersion(db, mesh));
        if (server === before.version.server && total === before.version.total) {
          if (last === before && seen !== null) last = { ...before, seen };
          return before.records;
        }
        last = await refresh(db, mesh, before);
      }
      return last.records;
    },
  };
}

const keptByDatabase = new WeakMap<Queryable, Map<Name, KeptRecords>>();

/** One for all who ask in this process. */
export function keptFor(db: Queryable, mesh: Name): KeptRecords {
  const byMesh = keptByDatabase.get(db) ?? new Map<Name, KeptRecords>();
  keptByDatabase.set(db, byMesh);
  const kept = byMesh.get(mesh) ?? createKeptRecords(db, mesh);
  byMesh.set(mesh, kept);
  return kept;
}

interface Known {
  /** The records are what these transactions left, or newer. */
  readonly seen: Seen | null;
  readonly version: PlanVersion;
  /** Null: never asked for, and all of them count as moved. */
  readonly parts: PlanParts | null;
  readonly records: PlanRecords;
}

function isSameSeen(before: Seen | null, now: Seen | null): boolean {
  return before !== null && before.server === now?.server && before.snapshot === now.snapshot;
}

async function readAll(db: Queryable, mesh: Name): Promise<Known> {
  const { seen, version, modules, edges, builds } = await readPlanRows(db, mesh);
  return { seen, version, parts: null, records: index(modules, groupEdges(edges), keyBuilds(builds)) };
}

type ModulesFirst = Awaited<ReturnType<typeof readModuleRows>> & ReturnType<typeof indexModules>;

/** Beside the modules, on another connection. What was written in between is another version: then all of it is read again. */
async function readRest(db: Queryable, mesh: Name, first: Promise<ModulesFirst>): Promise<Known> {
  const [{ seen, version, modules, registered, known }, rest] = await Promise.all([first, readOtherRows(db, mesh)]);
  if (version.server !== rest.version.server || version.total !== rest.version.total) return readAll(db, mesh);
  const records = { modules, registered, known, edgesOf: groupEdges(rest.edges), builds: keyBuilds(rest.builds) };
  // Nobody wrote anything that counts between the two; what anybody wrote since the earlier one is asked for the next time.
  return { seen: isSameSeen(seen, rest.seen) ? seen : null, version, parts: null, records };
}

async function refresh(db: Queryable, mesh: Name, known: Known): Promise<Known> {
  // Before the rows: what is changed while they are read is another version the next time.
  const version = await readPlanParts(db, mesh);
  if (version.server !== known.version.server) return readAll(db, mesh);
  return { seen: version.seen, version, parts: version, records: await readMoved(db, mesh, version, known) };
}

async function readMoved(db: Queryable, mesh: Name, version: PlanParts, known: Known): Promise<PlanRecords> {
  const { records } = known;
  const parts = {
    modules: listMoved(known.parts?.modules ?? null, version.modules),
    edges: listMoved(known.parts?.edges ?? null, version.edges),
    builds: listMoved(known.parts?.builds ?? null, version.builds),
  };
  const modules = parts.modules.size === 0 ? records.modules : await readModules(db, mesh, parts.modules, records);
  const partOf = new Map([...records.modules, ...modules].map(({ name, part }) => [name, part]));
  const isIn = (moved: ReadonlySet<number>, name: Name): boolean => moved.has(partOf.get(name) ?? -1);
  let { edgesOf, builds } = records;
  if (parts.edges.size > 0) {
    const read = groupEdges(await listEdges(db, mesh, [...parts.edges]));
    edgesOf = replace(edgesOf, read, (name) => isIn(parts.edges, name));
  }
  if (parts.builds.size > 0) {
    const read = keyBuilds(await listPlannedBuilds(db, mesh, [...parts.builds]));
    builds = replace(builds, read, (key) => isIn(parts.builds, key.slice(0, key.indexOf("@"))));
  }
  const isSame = modules === records.modules && edgesOf === records.edgesOf && builds === records.builds;
  return isSame ? records : index(modules, edgesOf, builds, records);
}

async function readModules(
  db: Queryable,
  mesh: Name,
  parts: ReadonlySet<number>,
  { modules }: PlanRecords,
): Promise<readonly ModuleToPlan[]> {
  const before = new Map(modules.map((module) => [module.name, module]));
  const read = await listModulesToPlan(db, mesh, [...parts]);
  return [
    ...modules.filter(({ part }) => !parts.has(part)),
    ...read.map((row) => keepEqual(before.get(row.name), row)),
  ];
}

function listMoved(before: ReadonlyMap<number, string> | null, now: ReadonlyMap<number, string>): Set<number> {
  if (before === null) return new Set(Array.from({ length: planParts }, (_, part) => part));
  return new Set([...before.keys(), ...now.keys()].filter((part) => before.get(part) !== now.get(part)));
}

function replace<T>(
  before: ReadonlyMap<string, T>,
  read: ReadonlyMap<string, T>,
  isRead: (key: string) => boolean,
): ReadonlyMap<string, T> {
  const now = new Map([...before].filter(([key]) => !isRead(key)));
  for (const [key, row] of read) now.set(key, keepEqual(before.get(key), row));
  return now;
}

/** A row that was written again as it was, or only lies beside one that was, stays the same object. */
function keepEqual<T>(before: T | undefined, row: T): T {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(row) ? before : row;
}

function groupEdges(edges: readonly Edge[]): Map<Name, Edge[]> {
  const edgesOf = new Map<Name, Edge[]>();
  for (const edge of edges) {
    const own = edgesOf.get(edge.module);
    if (own === undefined) edgesOf.set(edge.module, [edge]);
    else own.push(edge);
  }
  return edgesOf;
}

function keyBuilds(builds: readonly PlannedBuildRecord[]): Map<string, PlannedBuildRecord> {
  return new Map(builds.map((build) => [buildKey(build.module, build.inputs), build]));
}

function index(
  modules: readonly ModuleToPlan[],
  edgesOf: PlanRecords["edgesOf"],
  builds: PlanRecords["builds"],
  before?: PlanRecords,
): PlanRecords {
  if (modules === before?.modules) return { ...before, edgesOf, builds };
  return { edgesOf, builds, ...indexModules(modules, before) };
}

function indexModules(
  modules: readonly ModuleToPlan[],
  before?: PlanRecords,
): Pick<PlanRecords, "modules" | "registered" | "known"> {
  const sorted = modules.toSorted((a, b) => compareText(a.name, b.name));
  const registered = sorted.map(({ name, repository, branch, path }) => ({ module: name, repository, branch, path }));
  return {
    modules: sorted,
    // Where all modules lie is indexed once for as long as they lie there.
    registered: before === undefined ? registered : keepEqual(before.registered, registered),
    known: new Map(sorted.flatMap(({ name, known }) => (known === null ? [] : [[name, known] as const]))),
  };
}
