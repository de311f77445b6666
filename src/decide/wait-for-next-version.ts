import type { Closure, Verdict } from "../core/artifact.ts";
import type { Name } from "../core/names.ts";
import { listNames } from "./short-names.ts";

export interface NextVersionQuestion {
  readonly closure: Closure;
  readonly verdict: Verdict;
  /** Modules that lack what this one imports from them, where nothing else is wrong with it. */
  readonly lacks: readonly Name[];
  /** What it was last fit at; null: never. */
  readonly lastFit: Closure | null;
}

/**
 * A module whose new source asks for what its dependency does not have *yet*: its commit came before the dependency's.
 * That is *outstanding, waiting for the next version*, and when the dependency moves, the closure moves and it is built
 * (R11). It can be told apart from a dependency that took something away only by who moved: the module did, and what it
 * lacks is as it was, or was not imported before. Null: the verdict stands.
 */
export function waitForNextVersion({ closure, verdict, lacks, lastFit }: NextVersionQuestion): Verdict | null {
  if (verdict.verdict !== "unfit" || verdict.stage !== "compile" || lacks.length === 0) return null;
  if (lastFit !== null && lastFit.tree === closure.tree) return null;
  const hasMoved = (module: Name): boolean => {
    const before = lastFit?.dependencies[module];
    return before !== undefined && before !== closure.dependencies[module];
  };
  if (lacks.some(hasMoved)) return null;
  return {
    verdict: "outstanding",
    class: "dependency",
    message: `waiting for the next version of ${listNames(lacks)}, which does not have what is imported from it: ${verdict.message}`,
  };
}
