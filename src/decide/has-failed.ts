import type { Report } from "../core/report.ts";

/** While something else is still on its way a host says *half*: what failed beside it has failed nevertheless (R31). */
export function hasFailed({ outcome, resources }: Pick<Report, "outcome" | "resources">): boolean {
  return outcome === "failed" || (outcome === "half" && resources.some(({ state }) => state === "failed"));
}
