import type { PruneCounts, PrunePlan } from "../../activities/prune-records.ts";
import type { PrunedKind } from "../../decide/plan-prune.ts";
import { alignColumns } from "./columns.ts";

export interface PruningDocument {
  readonly days: number;
  readonly last: number;
  /** What went now; null: nothing was changed. */
  readonly gone: PruneCounts | null;
  readonly plan: readonly PrunePlan[];
}

const nouns: Readonly<Record<PrunedKind, string>> = {
  declarations: "declarations",
  told: "what pushes told nodes",
  targets: "whom pushes were to tell",
  pushes: "pushes",
  waves: "waves of builds",
  builds: "builds",
  checks: "second builds",
  artifacts: "collected artifacts",
  boxes: "sealed credentials",
  provisions: "withdrawn provisions",
  tokens: "enrolment tokens",
  imports: "imports read from files",
};

export function pruningText({ days, last, gone, plan }: PruningDocument): string {
  const rows = plan.map(({ kind, go, stay }) => [
    nouns[kind],
    gone === null ? `${go} would go` : `${gone[kind] ?? 0} went`,
    stay
      .filter(({ why }) => why !== "it is young")
      .map(({ why, count }) => `${count} stay: ${why}`)
      .join("; "),
  ]);
  const all = plan.reduce((sum, { go }) => sum + go, 0);
  return [
    `kept: ${days} days, and the last ${last}`,
    alignColumns(rows, "  "),
    ...(gone === null && all > 0 ? ["  next: mesh records prune --delete"] : []),
  ].join("\n");
}
