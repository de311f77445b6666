import type { BuildFacts, ModuleFacts } from "./build-facts.ts";
import { compareText } from "./short-names.ts";

/**
 * Of a module that cannot be built: what its last fit build was made against, and no import is seen to lead to now. Where a
 * library lost its folder or its name, advice about packages of that name would be of no use.
 */
export function sayLost({ modules }: Pick<BuildFacts, "modules">, { edges, language, lastFit }: ModuleFacts): string[] {
  const seen = new Set(edges.flatMap(({ dependency, lastKnown }) => (lastKnown === true ? [] : [dependency])));
  return Object.keys(lastFit?.closure.dependencies ?? {})
    .filter((name) => !seen.has(name))
    .toSorted(compareText)
    .flatMap((name) => {
      const was = `its last fit build was made against ${name}`;
      const module = modules.get(name);
      if (module === undefined) return [`${was}, which is no module any more, or has no source`];
      if (module.problem !== null) return [`${was}, which is broken: ${module.problem}`];
      // Without a manifest none of its imports was read: that none leads there says nothing of that module.
      return language === "" ? [] : [`${was}, and no import leads there now: see by which name it is published`];
    });
}
