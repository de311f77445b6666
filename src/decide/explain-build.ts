import type { Closure } from "../core/artifact.ts";
import type { Name } from "../core/names.ts";
import type { ModuleFacts } from "./build-facts.ts";
import { explainMove, explainSurroundings, type Explaining, sayCommits } from "./explain-move.ts";
import { findEdge, sayPlace } from "./say-edge.ts";
import { compareText } from "./short-names.ts";

/** Why a module is out of date: what in its closure is not what it was at its last fit build (R8, case 7). */
export function explainBuild(explaining: Explaining, module: ModuleFacts, closure: Closure): string {
  const { lastFit } = module;
  if (lastFit === null) return `${module.module} was never fit`;
  const reasons = [...explainOwn(module, closure, explaining.now), ...explainDependencies(explaining, module, closure)];
  if (reasons.length === 0) reasons.push("its last fit build is no longer recorded");
  return `${module.module} is out of date: ${reasons.join("; ")}`;
}

/** What moved of the module itself, apart from what it is built against. */
export function explainOwn(
  module: ModuleFacts,
  now: Pick<Closure, "tree" | "language" | "toolchain" | "builder" | "thirdParties" | "settings">,
  saidAt: string | null,
): string[] {
  const { lastFit } = module;
  if (lastFit === null) return [];
  const moved = lastFit.closure.tree === now.tree ? [] : [`its source moved (${sayCommits(lastFit, module, saidAt)})`];
  return [...moved, ...explainSurroundings(lastFit.closure, now)];
}

function explainDependencies(explaining: Explaining, module: ModuleFacts, { dependencies }: Closure): string[] {
  const was = module.lastFit?.closure.dependencies ?? {};
  const names = [...new Set([...Object.keys(was), ...Object.keys(dependencies)])].toSorted(compareText);
  return names.flatMap((name) => {
    const before = was[name];
    const now = dependencies[name];
    if (before === now) return [];
    if (now === undefined) return [`none of its imports leads to ${name} any more${sayWhyNot(explaining, name)}`];
    if (before === undefined) return [`it imports ${name} now, at ${whereImported(module, name)}`];
    return [explainMove(explaining, module, { dependency: name, before, now })];
  });
}

/** The import may stand as it did: what it led to has no source, or is broken. */
function sayWhyNot({ modules, now }: Explaining, name: Name): string {
  // A kept sentence is not worked out again when only that other module moves.
  if (now === null) return "";
  const module = modules.get(name);
  if (module === undefined) return ", which is no module any more, or has no source";
  return module.problem === null ? "" : `, which is broken: ${module.problem}`;
}

function whereImported(module: ModuleFacts, dependency: Name): string {
  const edge = findEdge(module.edges, dependency);
  return edge === null ? "an unknown place" : sayPlace(edge);
}
