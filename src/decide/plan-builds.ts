import type { Digest, Name } from "../core/names.ts";
import type { BuildFacts } from "./build-facts.ts";
import { createPlanMemory, type PlanMemory } from "./plan-memory.ts";
import { standOfModule, type Stand } from "./stand-of-module.ts";

/** How every module stands: each is in exactly one bucket. All sorted by name. */
export interface BuildPlan {
  /** To be built now, independent of each other (R9). */
  readonly ready: readonly PlannedBuild[];
  /** Under way; an older one too: it runs to its end, and the newest comes next (R16). */
  readonly building: readonly Bucketed<"building">[];
  readonly current: readonly Bucketed<"current">[];
  /** `for`: the modules at the root of the waiting, by whose verdict it goes on (case 9). */
  readonly waiting: readonly Bucketed<"waiting">[];
  readonly unfit: readonly Bucketed<"unfit">[];
  readonly outstanding: readonly Bucketed<"outstanding">[];
  readonly broken: readonly Bucketed<"broken">[];
  /** Cycles of build edges, the shortest first (case 15). */
  readonly cycles: readonly (readonly Name[])[];
  /** Every module, dependencies first (R6). */
  readonly order: readonly Name[];
}

/** A module with how it stands. */
export type Bucketed<K extends Stand["kind"]> = Extract<Stand, { kind: K }> & { readonly module: Name };

/** What is to be built: `inputs` is the digest of `closure`. */
export type PlannedBuild = Bucketed<"ready">;

/**
 * What is out of date, in what order it is built, and why: from recorded digests, without building (R8–R10, R16).
 * `memory`: of plans before; it makes no other plan.
 */
export function planBuilds(facts: BuildFacts, memory: PlanMemory = createPlanMemory()): BuildPlan {
  const graph = memory.graphOf(facts.modules);
  const running = new Map([...facts.running].map(splitKey));
  const stands = new Map<Name, Stand>();
  for (const name of graph.order) {
    const module = facts.modules.get(name);
    if (module !== undefined) stands.set(name, standOfModule({ facts, graph, memory, stands, running, module }));
  }
  const pick = <K extends Stand["kind"]>(kind: K): Bucketed<K>[] => {
    const picked: Bucketed<K>[] = [];
    for (const module of graph.names) {
      const stand = stands.get(module);
      if (stand !== undefined && isKind(stand, kind)) picked.push({ ...stand, module });
    }
    return picked;
  };
  return {
    ready: pick("ready"),
    building: pick("building"),
    current: pick("current"),
    waiting: pick("waiting"),
    unfit: pick("unfit"),
    outstanding: pick("outstanding"),
    broken: pick("broken"),
    cycles: graph.cycles,
    order: graph.order,
  };
}

function isKind<K extends Stand["kind"]>(stand: Stand, kind: K): stand is Extract<Stand, { kind: K }> {
  return stand.kind === kind;
}

/** `core@sha256:…`: a name holds no `@`. */
function splitKey(key: string): [Name, Digest] {
  const at = key.indexOf("@");
  return [key.slice(0, at), key.slice(at + 1)];
}
