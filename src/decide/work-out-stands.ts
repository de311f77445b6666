import type { Digest, Name } from "../core/names.ts";
import type { BuildFacts } from "./build-facts.ts";
import type { BuildGraph } from "./build-graph.ts";
import { listDiffering } from "./layered-facts.ts";
import { dependentsIn, placeInOrder } from "./place-in-order.ts";
import type { PlanMemory } from "./plan-memory.ts";
import { standOfModule, type Stand } from "./stand-of-module.ts";

/** A stand with its module's name. */
export type NamedStand = Stand & { readonly module: Name };

/** How all modules stood in a plan, and what that was worked out from. */
export interface SeenStands {
  readonly graph: BuildGraph;
  readonly modules: BuildFacts["modules"];
  readonly builds: BuildFacts["builds"];
  /** Toolchains and builders, as text. */
  readonly makers: string;
  readonly running: ReadonlyMap<Name, Digest>;
  readonly stands: ReadonlyMap<Name, NamedStand>;
  /** Those that are worked out each time: time, or the facts of others, have a say in them. */
  readonly unsettled: ReadonlySet<Name>;
  /** What differs from stands that were there before. Null: they were worked out without any. */
  readonly since: { readonly stands: ReadonlyMap<Name, NamedStand>; readonly names: ReadonlySet<Name> } | null;
}

/**
 * Every module's stand, dependencies first. One that nothing moved for is the one that it was: its own facts, the stands of
 * what it depends on, its recorded build. Those that time, or the facts of others, have a say in are worked out each time.
 */
export function workOutStands(
  facts: BuildFacts,
  {
    graph,
    memory,
    last,
  }: { readonly graph: BuildGraph; readonly memory: PlanMemory; readonly last: SeenStands | null },
): SeenStands {
  const makers = JSON.stringify([facts.toolchains, facts.builders]);
  const running = new Map([...facts.running].map(splitKey));
  const isComparable = last !== null && last.graph === graph && last.builds === facts.builds && last.makers === makers;
  const worked = { graph, modules: facts.modules, builds: facts.builds, makers, running };
  const stands = new Map<Name, NamedStand>(isComparable ? last.stands : []);
  const changed = new Set<Name>();
  const workOut = (name: Name): void => {
    const module = facts.modules.get(name);
    if (module === undefined) return;
    const was = stands.get(name);
    const fresh = standOfModule({ facts, graph, memory, stands, running, module });
    if (was !== undefined && isEqualStand(was, fresh)) return;
    stands.set(name, { ...fresh, module: name });
    changed.add(name);
  };
  if (!isComparable) {
    for (const name of graph.order) workOut(name);
    return { ...worked, stands, unsettled: listUnsettled(graph, stands, graph.order), since: null };
  }
  workOutMoved(graph, [...listMoved(facts, last), ...last.unsettled, ...running.keys()], { changed, workOut });
  if (changed.size === 0) return { ...last, modules: facts.modules, running };
  const again = listUnsettled(graph, stands, [...last.unsettled, ...changed]);
  return { ...worked, stands, unsettled: again, since: { stands: last.stands, names: changed } };
}

/** Of one graph, so that both know the same modules. */
function listMoved({ modules }: BuildFacts, last: SeenStands): readonly Name[] {
  return (
    listDiffering(modules, last.modules) ??
    [...modules].filter(([name, module]) => last.modules.get(name) !== module).map(([name]) => name)
  );
}

/** These, and what depends on those that changed, in the graph's order. */
function workOutMoved(
  graph: BuildGraph,
  moved: readonly Name[],
  { changed, workOut }: { readonly changed: ReadonlySet<Name>; readonly workOut: (name: Name) => void },
): void {
  const places = placeInOrder(graph.order);
  const dependents = dependentsIn(graph);
  const isDue = new Uint8Array(graph.order.length);
  const expect = (names: readonly Name[] = []): void => {
    for (const name of names) {
      const at = places.get(name);
      if (at !== undefined) isDue[at] = 1;
    }
  };
  expect(moved);
  for (let at = isDue.indexOf(1); at !== -1; at = isDue.indexOf(1, at + 1)) {
    const name = graph.order[at] ?? "";
    workOut(name);
    if (changed.has(name)) expect(dependents.get(name));
  }
}

function listUnsettled(
  graph: BuildGraph,
  stands: ReadonlyMap<Name, NamedStand>,
  names: readonly Name[],
): ReadonlySet<Name> {
  return new Set(
    names.filter((name) => {
      const kind = stands.get(name)?.kind;
      return (
        kind !== undefined &&
        ((kind !== "current" && kind !== "waiting" && kind !== "unfit") || graph.hasBackEdge.has(name))
      );
    }),
  );
}

export function isEqualStand(was: Stand, is: Stand): boolean {
  if (was.kind === "current" && is.kind === "current") return was.inputs === is.inputs && was.artifact === is.artifact;
  if (was.kind === "waiting" && is.kind === "waiting") return was.why === is.why && was.for.join() === is.for.join();
  if (was.kind === "ready" && is.kind === "ready") return was.why === is.why && was.closure === is.closure;
  if (was.kind === "outstanding" && is.kind === "outstanding")
    return was.why === is.why && was.inputs === is.inputs && was.retryAt === is.retryAt;
  if ((was.kind === "unfit" || was.kind === "building") && was.kind === is.kind)
    return was.why === is.why && was.inputs === is.inputs;
  return (was.kind === "broken" || was.kind === "cannot-tell") && was.kind === is.kind && was.why === is.why;
}

/** `core@sha256:…`: a name holds no `@`. */
function splitKey(key: string): [Name, Digest] {
  const at = key.indexOf("@");
  return [key.slice(0, at), key.slice(at + 1)];
}
