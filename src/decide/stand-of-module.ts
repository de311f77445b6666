import type { Closure } from "../core/artifact.ts";
import type { Digest, Name } from "../core/names.ts";
import { buildKey, type BuildFacts, type ModuleFacts } from "./build-facts.ts";
import type { BuildGraph } from "./build-graph.ts";
import { isLostBuild } from "./build-under-way.ts";
import { explainBuild } from "./explain-build.ts";
import type { PlanMemory } from "./plan-memory.ts";
import { isTryDue } from "./retry-builds.ts";
import { sayCycle, sayPlace, sayTypesOfCycle } from "./say-edge.ts";
import { listNames } from "./short-names.ts";

/** How one module stands. Exactly one holds. */
export type Stand =
  | { readonly kind: "ready"; readonly inputs: Digest; readonly closure: Closure; readonly why: string }
  | { readonly kind: "building"; readonly inputs: Digest; readonly why: string }
  | { readonly kind: "current"; readonly inputs: Digest; readonly artifact: Digest }
  | { readonly kind: "waiting"; readonly for: readonly Name[]; readonly why: string }
  | { readonly kind: "unfit"; readonly inputs: Digest; readonly closure: Closure; readonly why: string }
  | { readonly kind: "outstanding"; readonly inputs: Digest; readonly retryAt: string | null; readonly why: string }
  | { readonly kind: "broken"; readonly why: string }
  /** Its source could not be read: it is neither current nor broken, as far as anybody knows. */
  | { readonly kind: "cannot-tell"; readonly why: string };

export interface StandInput {
  readonly facts: BuildFacts;
  readonly graph: BuildGraph;
  readonly memory: PlanMemory;
  /** Of everything that comes before this module. */
  readonly stands: ReadonlyMap<Name, Stand>;
  /** What runs now, by module. */
  readonly running: ReadonlyMap<Name, Digest>;
  readonly module: ModuleFacts;
}

/**
 * A module is planned only against dependencies that are current themselves: so no closure ever mixes two builds of
 * one module, and whatever moves below is built before what is above it.
 */
export function standOfModule(input: StandInput): Stand {
  const { facts, running, module } = input;
  if (typeof module.unread === "string") return { kind: "cannot-tell", why: module.unread };
  const broken = findBroken(input);
  if (broken !== null) return { kind: "broken", why: broken };
  const underWay = running.get(module.module);
  const found = collectDependencies(input);
  if (found.kind === "waiting") return underWay === undefined ? found : sayBuilding(module, underWay, "the next waits");
  const { closure, inputs } = input.memory.inputsOf(module, {
    module: module.module,
    language: module.language,
    tree: module.tree,
    dependencies: found.dependencies,
    toolchain: facts.toolchains[module.language] ?? "",
    builder: facts.builders[module.language] ?? "",
    thirdParties: module.thirdParties,
    settings: module.settings,
  });
  const record = facts.builds.get(buildKey(module.module, inputs));
  if (record?.state === "fit" && record.artifact !== null)
    return { kind: "current", inputs, artifact: record.artifact };
  // What was started runs to its end; what waits is only ever the newest (R16).
  if (underWay !== undefined) {
    return sayBuilding(module, underWay, underWay === inputs ? "" : "the newest is built after it");
  }
  const why = explainBuild({ ...facts, now: null }, module, closure);
  switch (record?.state) {
    case "unfit":
      return { kind: "unfit", inputs, closure, why: record.message };
    case "outstanding":
      if (!isTryDue(record.nextTryAt, facts.now)) {
        return { kind: "outstanding", inputs, retryAt: record.nextTryAt, why: record.message };
      }
      return { kind: "ready", inputs, closure, why: `${module.module} is tried again: ${record.message}` };
    case "building":
      if (!isLostBuild(record, facts)) return sayBuilding(module, inputs, "");
      return { kind: "ready", inputs, closure, why: `${why}; the build that was under way was lost` };
    case "fit":
    case undefined:
      return { kind: "ready", inputs, closure, why };
  }
}

function sayBuilding({ module }: ModuleFacts, inputs: Digest, more: string): Stand {
  return { kind: "building", inputs, why: `${module} is being built${more === "" ? "" : `; ${more}`}` };
}

function findBroken({ facts, graph, module }: StandInput): string | null {
  const name = module.module;
  if (module.problem !== null) return module.problem;
  const cycle = graph.cycleOf.get(name);
  if (cycle !== undefined)
    return `${name} cannot be built: its imports go round, ${sayCycle(facts.modules, cycle)}${sayTypesOfCycle(facts.modules, cycle)}`;
  for (const edge of module.edges) {
    if (!facts.modules.has(edge.dependency))
      return `${name} imports ${edge.dependency} at ${sayPlace(edge)}, which no module publishes`;
  }
  if (!Object.hasOwn(facts.toolchains, module.language))
    return `${name}: there is no toolchain for ${module.language} here`;
  const untested = (graph.dependencies.get(name) ?? []).find(
    (dependency) => graph.isBackEdge(name, dependency) && facts.modules.get(dependency)?.lastFit === null,
  );
  if (untested === undefined) return null;
  return `the tests of ${name} import ${untested}, which is built against ${name} and was never fit: let ${name} be built once without them`;
}

function collectDependencies({
  facts,
  graph,
  stands,
  module,
}: StandInput):
  | { readonly kind: "found"; readonly dependencies: Record<Name, Digest> }
  | Extract<Stand, { kind: "waiting" }> {
  const dependencies: Record<Name, Digest> = {};
  const roots = new Set<Name>();
  for (const dependency of graph.dependencies.get(module.module) ?? []) {
    const last = facts.modules.get(dependency)?.lastFit;
    if (graph.isBackEdge(module.module, dependency) && last) {
      dependencies[dependency] = last.artifact;
      continue;
    }
    const stand = stands.get(dependency);
    if (stand?.kind === "current") dependencies[dependency] = stand.artifact;
    else if (stand?.kind === "waiting") for (const root of stand.for) roots.add(root);
    else roots.add(dependency);
  }
  if (roots.size === 0) return { kind: "found", dependencies };
  const names = [...roots].toSorted();
  const why = `${module.module} waits for ${listNames(names.map((name) => `${name}${sayStand(stands.get(name))}`))}`;
  return { kind: "waiting", for: names, why };
}

function sayStand(stand: Stand | undefined): string {
  switch (stand?.kind) {
    case undefined:
    case "current":
    case "waiting":
      return "";
    case "ready":
      return " (to be built)";
    case "building":
      return " (being built)";
    case "unfit":
    case "outstanding":
    case "broken":
      return ` (${stand.kind})`;
    case "cannot-tell":
      return " (cannot tell)";
  }
}
