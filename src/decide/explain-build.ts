import type { Closure } from "../core/artifact.ts";
import type { Name } from "../core/names.ts";
import type { ModuleFacts } from "./build-facts.ts";
import { compareText, shortId } from "./short-names.ts";

/** Why a module is out of date: what in its closure is not what it was at its last fit build (R8, case 7). */
export function explainBuild(module: ModuleFacts, closure: Closure): string {
  const { lastFit } = module;
  if (lastFit === null) return `${module.module} was never fit`;
  const reasons = [...explainOwn(module, closure), ...explainDependencies(module, closure)];
  if (reasons.length === 0) reasons.push("its last fit build is no longer recorded");
  return `${module.module} is out of date: ${reasons.join("; ")}`;
}

/** What moved of the module itself, apart from what it is built against. */
export function explainOwn(
  module: ModuleFacts,
  now: Pick<Closure, "tree" | "language" | "toolchain" | "builder" | "thirdParties" | "settings">,
): string[] {
  const { lastFit } = module;
  if (lastFit === null) return [];
  const was = lastFit.closure;
  const reasons: string[] = [];
  if (was.tree !== now.tree) reasons.push(`its source moved (${shortId(lastFit.commit)} → ${shortId(module.commit)})`);
  if (was.language !== now.language) reasons.push(`its language changed (${was.language} → ${now.language})`);
  if (was.toolchain !== now.toolchain) reasons.push(`the toolchain moved (${was.toolchain} → ${now.toolchain})`);
  if (was.builder !== now.builder) reasons.push(`the builder's rules moved (${was.builder} → ${now.builder})`);
  if (was.thirdParties !== now.thirdParties) reasons.push("its third-party packages moved");
  const settings = [...new Set([...Object.keys(was.settings), ...Object.keys(now.settings)])].toSorted(compareText);
  for (const name of settings) {
    const [before, after] = [was.settings[name] ?? "none", now.settings[name] ?? "none"];
    if (before !== after) reasons.push(`setting ${name} moved (${before} → ${after})`);
  }
  return reasons;
}

function explainDependencies(module: ModuleFacts, { dependencies }: Closure): string[] {
  const was = module.lastFit?.closure.dependencies ?? {};
  const names = [...new Set([...Object.keys(was), ...Object.keys(dependencies)])].toSorted(compareText);
  return names.flatMap((name) => {
    const before = was[name];
    const now = dependencies[name];
    if (before === now) return [];
    if (now === undefined) return [`it no longer imports ${name}`];
    if (before === undefined)
      return [`it imports ${name} now, at ${whereImported(module, name) ?? "an unknown place"}`];
    return [`${name} moved (${shortId(before)} → ${shortId(now)}); ${sayEdge(module, name)}`];
  });
}

/** `meshboard imports core at src/page.ts:3` */
export function sayEdge(module: ModuleFacts, dependency: Name): string {
  const at = whereImported(module, dependency);
  return at === null
    ? `${module.module} was built against ${dependency}`
    : `${module.module} imports ${dependency} at ${at}`;
}

/** The first import of it, build edges before test edges. */
function whereImported(module: ModuleFacts, dependency: Name): string | null {
  const [edge] = module.edges
    .filter((candidate) => candidate.dependency === dependency)
    .toSorted((a, b) => compareText(a.kind, b.kind) || compareText(a.file, b.file) || a.line - b.line);
  return edge === undefined ? null : `${edge.file}:${edge.line}`;
}
