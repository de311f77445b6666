import type { Name, ObjectId } from "../core/names.ts";
import type { BuildEdge } from "./build-facts.ts";
import { dependenciesOf } from "./build-graph.ts";

/** A module's source as it was read now. */
export interface ReadSource {
  readonly module: Name;
  readonly commit: ObjectId;
  /** The commit that is taken; null: none was ever. */
  readonly before: ObjectId | null;
  readonly edges: readonly BuildEdge[];
  /** By what others import it, or what they read of it to find that, is not what it is in the source that is taken. */
  readonly isNamedAnew: boolean;
}

export interface HoldTogetherInput {
  readonly read: readonly ReadSource[];
  /** Edges of the sources that are taken. */
  readonly edgesOf: ReadonlyMap<Name, readonly BuildEdge[]>;
  /** Of `holdSources`. */
  readonly held: ReadonlyMap<Name, Name>;
}

/**
 * Which sources that were read are not taken, each with the module they wait for (R16, case 5). Half of a commit is what nobody
 * wrote: a caller would be judged against the signature that its own commit changed. So whatever is built of modules that one
 * commit touches is built of all of them or of none. What imports a module by what is not taken of it waits with it, wherever
 * its own source is: the artifact that is there has other names.
 */
export function holdTogether({ read, edgesOf, held }: HoldTogetherInput): Map<Name, Name> {
  const waits = new Map<Name, Name>();
  const readOf = new Map(read.map((one) => [one.module, one]));
  for (const { module, commit, before } of read) {
    const waitsFor = held.get(module);
    if (waitsFor !== undefined && before !== null && commit !== before) waits.set(module, waitsFor);
  }
  if (waits.size === 0) return waits;
  const graph = linkBoth(readOf, edgesOf);
  const commits = new Map<ObjectId, Touched>();
  for (const [module, waitsFor] of waits) {
    const one = readOf.get(module);
    if (one === undefined) continue;
    const together = one.isNamedAnew ? [...linksOf(graph.importers, module)].filter((name) => readOf.has(name)) : [];
    if (one.commit !== one.before) {
      const touched = commits.get(one.commit) ?? findTouched(graph, read, one.commit);
      commits.set(one.commit, touched);
      together.push(...takeGroup(graph, touched, module));
    }
    // Looked at in their turn: a map goes on with what is added to it.
    for (const name of together) if (!waits.has(name)) waits.set(name, waitsFor);
  }
  return waits;
}

type Links = ReadonlyMap<Name, ReadonlySet<Name>>;

interface Graph {
  readonly dependencies: Links;
  readonly importers: Links;
}

const none: ReadonlySet<Name> = new Set();

function linksOf(links: Links, module: Name): ReadonlySet<Name> {
  return links.get(module) ?? none;
}

/** By the edges that are taken, and by those that were read: which of them will count is what is asked. */
function linkBoth(readOf: ReadonlyMap<Name, ReadSource>, edgesOf: HoldTogetherInput["edgesOf"]): Graph {
  const dependencies = new Map<Name, Set<Name>>();
  const importers = new Map<Name, Set<Name>>();
  const link = (module: Name, edges: readonly BuildEdge[]): void => {
    for (const dependency of dependenciesOf({ module, edges })) {
      add(dependencies, module, dependency);
      add(importers, dependency, module);
    }
  };
  for (const [module, edges] of edgesOf) link(module, edges);
  for (const { module, edges } of readOf.values()) link(module, edges);
  return { dependencies, importers };
}

function add(links: Map<Name, Set<Name>>, from: Name, to: Name): void {
  const known = links.get(from);
  if (known === undefined) links.set(from, new Set([to]));
  else known.add(to);
}

interface Touched {
  /** Modules that this commit is newer of. */
  readonly newer: ReadonlySet<Name>;
  /** Those, and all that is built of them, directly or not; without whoever was gone to. */
  readonly left: Set<Name>;
}

function findTouched({ importers }: Graph, read: readonly ReadSource[], commit: ObjectId): Touched {
  const newer = new Set(read.flatMap((one) => (one.commit === commit && one.before !== commit ? [one.module] : [])));
  const left = new Set(newer);
  for (const module of left) for (const importer of linksOf(importers, module)) left.add(importer);
  return { newer, left };
}

/** Those of one commit that something is built of together, from one of them on. Nobody is gone to twice. */
function takeGroup({ dependencies, importers }: Graph, { newer, left }: Touched, from: Name): Name[] {
  const group = new Set(left.delete(from) ? [from] : []);
  for (const module of group)
    for (const links of [linksOf(dependencies, module), linksOf(importers, module)])
      for (const name of links) if (left.delete(name)) group.add(name);
  return [...group].filter((name) => newer.has(name));
}
