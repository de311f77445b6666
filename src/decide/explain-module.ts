import type { Name } from "../core/names.ts";
import type { BuildFacts } from "./build-facts.ts";
import type { Standing } from "./delivery-line.ts";

/** The answer of `mesh why MODULE` (R6, R8). */
export interface ModuleExplanation {
  readonly module: Name;
  readonly standing: Standing;
  /** Sentences. */
  readonly why: readonly string[];
  readonly dependsOn: readonly ExplainedEdge[];
  readonly dependents: readonly ExplainedEdge[];
  /** Everything that would be rebuilt after it, in order. */
  readonly reaches: readonly Name[];
}

export interface ExplainedEdge {
  readonly module: Name;
  readonly kind: "build" | "test";
  /** `src/page.ts:3` */
  readonly at: string;
}

/** Null: no such module. */
export function explainModule(_facts: BuildFacts, _module: Name): ModuleExplanation | null {
  throw new Error("not written yet");
}
