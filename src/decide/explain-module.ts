import type { Closure } from "../core/artifact.ts";
import type { Digest, Name } from "../core/names.ts";
import { ageMs, describeAge } from "./ages.ts";
import { type BuildEdge, buildKey, type BuildFacts, type ModuleFacts } from "./build-facts.ts";
import type { Standing } from "./delivery-line.ts";
import { explainBuild } from "./explain-build.ts";
import { type SourceKnowledge, standByKnowledge } from "./judge-source.ts";
import { planBuilds, type BuildPlan } from "./plan-builds.ts";
import { listInbound } from "./plan-memory.ts";
import { explainReady, rebuildSet } from "./rebuild-set.ts";
import { sayLost } from "./say-lost.ts";
import { compareText } from "./short-names.ts";

/** The answer of `mesh why MODULE` (R6, R8). */
export interface ModuleExplanation {
  readonly module: Name;
  readonly standing: Standing;
  /** Sentences. */
  readonly why: readonly string[];
  /** The modules without whose verdict it does not go on, where it waits. */
  readonly waitsFor: readonly Name[];
  readonly dependsOn: readonly ExplainedEdge[];
  readonly dependents: readonly ExplainedEdge[];
  /** Everything that may be rebuilt after it, in order. */
  readonly reaches: readonly Name[];
}

export interface ExplainedEdge {
  readonly module: Name;
  readonly kind: "build" | "test";
  /** `src/page.ts:3` */
  readonly at: string;
  /** Not seen in the newest source of the one that imports, of which not all can be read. */
  readonly lastKnown?: true;
}

/** Null: no such module. */
export function explainModule(
  facts: BuildFacts,
  name: Name,
  plan: BuildPlan = planBuilds(facts),
): ModuleExplanation | null {
  const module = facts.modules.get(name);
  if (module === undefined) return null;
  const dependents = [...facts.modules.values()].filter((other) => other.module !== name);
  const reached = reach(facts, name);
  return {
    module: name,
    ...explainStanding(facts, plan, module),
    waitsFor: plan.waiting.find((row) => row.module === name)?.for ?? [],
    dependsOn: sortEdges(
      module.edges.filter((edge) => edge.dependency !== name).map((edge) => explainEdge(edge.dependency, edge)),
    ),
    dependents: sortEdges(
      dependents.flatMap((other) =>
        other.edges.filter((edge) => edge.dependency === name).map((edge) => explainEdge(other.module, edge)),
      ),
    ),
    reaches: plan.order.filter((other) => other !== name && reached.has(other)),
  };
}

function explainEdge(module: Name, { kind, file, line, lastKnown }: BuildEdge): ExplainedEdge {
  return { module, kind, at: `${file}:${line}`, ...(lastKnown === undefined ? {} : { lastKnown }) };
}

/** By what is known of its source now. *Current* says of which look; what cannot be told, what it was then. */
export function explainByKnowledge(explained: ModuleExplanation, source: SourceKnowledge): ModuleExplanation {
  const { standing, why } = explained;
  if (standing !== "current") return explained;
  if (source.kind !== "cannot-tell") return { ...explained, why: [...why, source.why] };
  const was = "when it was compared, it was built from exactly what its source and its dependencies were";
  return {
    ...explained,
    standing: standByKnowledge({ standing, standingWhy: "" }, source).standing,
    why: [source.why, was],
  };
}

/** With ages, which kept sentences do not have, and for what waits: what moved, and the imports from there to it. */
function explainStanding(
  facts: BuildFacts,
  plan: BuildPlan,
  module: ModuleFacts,
): { readonly standing: Standing; readonly why: readonly string[] } {
  const stands = standingOf(plan, module);
  const ready = plan.ready.find((row) => row.module === module.module);
  if (ready !== undefined) return { ...stands, why: [explainReady(facts, module, ready)] };
  const building = plan.building.find((row) => row.module === module.module);
  if (building !== undefined) return { ...stands, why: [...stands.why, ...saySinceWhen(facts, building)] };
  const unfit = plan.unfit.find((row) => row.module === module.module);
  if (unfit !== undefined) return { ...stands, why: [...stands.why, ...sayWhatMoved(facts, module, unfit.closure)] };
  if (stands.standing === "broken") return { ...stands, why: [...stands.why, ...sayLost(facts, module)] };
  if (stands.standing !== "waiting") return stands;
  const announced = rebuildSet(facts, { plan, saidAt: facts.now }).find((row) => row.module === module.module);
  if (announced === undefined) return stands;
  // Of what was never fit the announcement ends with what it waits for.
  return { ...stands, why: [...stands.why.filter((line) => !announced.why.endsWith(line)), announced.why] };
}

function saySinceWhen(
  { builds, now }: BuildFacts,
  { module, inputs }: { readonly module: Name; readonly inputs: Digest },
): string[] {
  const startedAt = builds.get(buildKey(module, inputs))?.startedAt;
  return startedAt === undefined ? [] : [`since ${describeAge(ageMs(now, startedAt))}`];
}

/** Of what was fit before: its own commit may be the same, and what it is built against another. */
function sayWhatMoved(facts: BuildFacts, module: ModuleFacts, closure: Closure): string[] {
  if (module.lastFit === null) return [];
  const moved = explainBuild(facts, module, closure).replace(`${module.module} is out of date: `, "");
  return [`since its last fit build: ${moved}`];
}

/** How a module stands, in the word that is kept with it. */
export function standingOf(
  plan: BuildPlan,
  { module, lastFit }: Pick<ModuleFacts, "module" | "lastFit">,
): { readonly standing: Standing; readonly why: readonly string[] } {
  const isIt = (row: { readonly module: Name }): boolean => row.module === module;
  const ready = plan.ready.find(isIt);
  if (ready !== undefined) return { standing: lastFit === null ? "new" : "out-of-date", why: [ready.why] };
  if (plan.current.some(isIt))
    return {
      standing: "current",
      why: ["it is built from exactly what its source and its dependencies were when they were compared"],
    };
  const rows = [
    ...plan.building,
    ...plan.waiting,
    ...plan.unfit,
    ...plan.outstanding,
    ...plan.broken,
    ...plan.cannotTell,
  ];
  const row = rows.find(isIt);
  return row === undefined ? { standing: "new", why: [] } : { standing: row.kind, why: [row.why] };
}

function reach(facts: BuildFacts, name: Name): Set<Name> {
  const inbound = listInbound(facts);
  const reached = new Set([name]);
  for (const module of reached) for (const dependent of inbound.get(module) ?? []) reached.add(dependent);
  return reached;
}

function sortEdges(edges: readonly ExplainedEdge[]): ExplainedEdge[] {
  return edges.toSorted(
    (a, b) => compareText(a.module, b.module) || compareText(a.kind, b.kind) || compareText(a.at, b.at),
  );
}
