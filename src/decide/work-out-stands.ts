import type { Digest, Name } from "../core/names.ts";
import type { BuildFacts } from "./build-facts.ts";
import type { BuildGraph } from "./build-graph.ts";
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
  const before = isComparable ? last : null;
  const stands = new Map<Name, NamedStand>();
  const changed = new Set<Name>();
  for (const name of graph.order) {
    const module = facts.modules.get(name);
    if (module === undefined) continue;
    const was = before?.stands.get(name);
    const isSame =
      was !== undefined &&
      (was.kind === "current" || was.kind === "waiting" || was.kind === "unfit") &&
      before?.modules.get(name) === module &&
      (running.size === 0 || !running.has(name)) &&
      !graph.hasBackEdge.has(name) &&
      !isAnyIn(changed, graph.dependencies.get(name));
    if (isSame) {
      stands.set(name, was);
      continue;
    }
    const fresh = standOfModule({ facts, graph, memory, stands, running, module });
    const isEqual = was !== undefined && isEqualStand(was, fresh);
    stands.set(name, isEqual ? was : { ...fresh, module: name });
    if (!isEqual) changed.add(name);
  }
  return changed.size === 0 && before?.stands.size === stands.size
    ? { ...before, modules: facts.modules, running }
    : { graph, modules: facts.modules, builds: facts.builds, makers, running, stands };
}

function isAnyIn(changed: ReadonlySet<Name>, names: readonly Name[] = []): boolean {
  return changed.size > 0 && names.some((name) => changed.has(name));
}

function isEqualStand(was: NamedStand, is: Stand): boolean {
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
