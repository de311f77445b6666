import type { Digest, Name } from "../core/names.ts";
import { whySecondBuild } from "../decide/plan-second-build.ts";
import { addBuildCheck, hasBuildCheck } from "../store/build-check-queue.ts";
import type { Queryable } from "../store/database.ts";

/** Second builds begin so long after the verdict: what a wave still has to build goes first, and clocks have moved. */
const pauseMs = 30_000;

/** Notes whether what just came out fit is to be built a second time. */
export async function planSecondBuild(
  db: Queryable,
  mesh: Name,
  fit: { readonly module: Name; readonly inputs: Digest; readonly artifact: Digest },
): Promise<void> {
  const why = whySecondBuild({ inputs: fit.inputs, isFirst: !(await hasBuildCheck(db, mesh, fit.module)) });
  if (why !== null) await addBuildCheck(db, mesh, { ...fit, why, inMs: pauseMs });
}
