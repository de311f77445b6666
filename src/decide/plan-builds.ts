import type { Name } from "../core/names.ts";
import type { BuildFacts } from "./build-facts.ts";
import type { BuildGraph } from "./build-graph.ts";
import { createPlanMemory, type PlanBefore, type PlanMemory } from "./plan-memory.ts";
import { compareText } from "./short-names.ts";
import type { Stand } from "./stand-of-module.ts";
import type { SeenStands } from "./work-out-stands.ts";

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
  readonly cannotTell: readonly Bucketed<"cannot-tell">[];
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
  return memory.planOf(facts, graph, sortOut);
}

type Buckets = Omit<BuildPlan, "cycles" | "order">;

/** In the order of names: one pass, or, where only some stand otherwise than in the plan before, those put in their places. */
function sortOut(graph: BuildGraph, stands: SeenStands["stands"], before: PlanBefore | null): BuildPlan {
  const { cycles, order, names } = graph;
  if (before === null) return { ...fillBuckets(names, stands), cycles, order };
  const { plan, changed } = before;
  const moved = fillBuckets([...changed].toSorted(compareText), stands);
  return {
    ready: replaceByName(plan.ready, moved.ready, changed),
    building: replaceByName(plan.building, moved.building, changed),
    current: replaceByName(plan.current, moved.current, changed),
    waiting: replaceByName(plan.waiting, moved.waiting, changed),
    unfit: replaceByName(plan.unfit, moved.unfit, changed),
    outstanding: replaceByName(plan.outstanding, moved.outstanding, changed),
    broken: replaceByName(plan.broken, moved.broken, changed),
    cannotTell: replaceByName(plan.cannotTell, moved.cannotTell, changed),
    cycles,
    order,
  };
}

/** Both sorted by name; without those that changed, and with those that came. */
function replaceByName<T extends { readonly module: Name }>(
  was: readonly T[],
  came: readonly T[],
  changed: ReadonlySet<Name>,
): readonly T[] {
  const stayed = was.filter(({ module }) => !changed.has(module));
  if (came.length === 0) return stayed.length === was.length ? was : stayed;
  const merged: T[] = [];
  let next = 0;
  for (const one of came) {
    for (; next < stayed.length; next += 1) {
      const other = stayed[next];
      if (other === undefined || compareText(other.module, one.module) > 0) break;
      merged.push(other);
    }
    merged.push(one);
  }
  return [...merged, ...stayed.slice(next)];
}

function fillBuckets(names: readonly Name[], stands: SeenStands["stands"]): Buckets {
  const buckets = {
    ready: new Array<Bucketed<"ready">>(),
    building: new Array<Bucketed<"building">>(),
    current: new Array<Bucketed<"current">>(),
    waiting: new Array<Bucketed<"waiting">>(),
    unfit: new Array<Bucketed<"unfit">>(),
    outstanding: new Array<Bucketed<"outstanding">>(),
    broken: new Array<Bucketed<"broken">>(),
    cannotTell: new Array<Bucketed<"cannot-tell">>(),
  };
  for (const name of names) {
    const stand = stands.get(name);
    switch (stand?.kind) {
      case undefined:
        break;
      case "ready":
        buckets.ready.push(stand);
        break;
      case "building":
        buckets.building.push(stand);
        break;
      case "current":
        buckets.current.push(stand);
        break;
      case "waiting":
        buckets.waiting.push(stand);
        break;
      case "unfit":
        buckets.unfit.push(stand);
        break;
      case "outstanding":
        buckets.outstanding.push(stand);
        break;
      case "broken":
        buckets.broken.push(stand);
        break;
      case "cannot-tell":
        buckets.cannotTell.push(stand);
        break;
    }
  }
  return buckets;
}
