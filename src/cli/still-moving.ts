import type { Edge } from "../store/edges.ts";
import type { ModuleRecord } from "../store/modules.ts";

type Standing = Pick<ModuleRecord, "name" | "standing">;

/** It gets its verdict without anybody's doing. */
export function isMoving({ standing }: Pick<ModuleRecord, "standing">): boolean {
  return standing === "building" || standing === "out-of-date" || standing === "new";
}

/** Is it in the way of what waits for it until somebody acts, or the environment is better? */
function isBad({ standing }: Standing): boolean {
  return standing === "unfit" || standing === "outstanding" || standing === "broken" || standing === "cannot-tell";
}

/**
 * Does one of these wait for what gets its verdict by itself? `all` and `edges` are of the whole mesh. Where nothing below
 * it is bad, and nothing moves, it is planned in the next moment.
 */
export function waitsForMoving(
  waiting: readonly Standing[],
  all: readonly Standing[],
  edges: readonly Pick<Edge, "module" | "dependency">[],
): boolean {
  const modules = new Map(all.map((module) => [module.name, module]));
  const dependencies = new Map<string, string[]>();
  for (const { module, dependency } of edges)
    dependencies.set(module, [...(dependencies.get(module) ?? []), dependency]);
  return waiting.some(({ name }) => {
    const names = new Set([name]);
    for (const one of names) for (const dependency of dependencies.get(one) ?? []) names.add(dependency);
    names.delete(name);
    const below = [...names].flatMap((one) => modules.get(one) ?? []);
    return below.some(isMoving) || !below.some(isBad);
  });
}
