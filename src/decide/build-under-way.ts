import type { Name } from "../core/names.ts";
import { timeMs } from "./ages.ts";
import type { Stands } from "./judge-source.ts";

/** A build that the records have as under way. */
export interface BuildUnderWay {
  /** When its present attempt began. ISO. */
  readonly startedAt: string;
  /** When its worker was last heard of; before that, when it began. ISO. */
  readonly heardAt: string;
}

/**
 * Why a module that the last plan has as taken to be built has no build that runs. Records know of a build when its turn has
 * come, and which one is next only the queue knows: so no number is said.
 */
export const noBuildRuns =
  "no build of it runs now: it waits for a build slot, or its build ended, or was lost, and what follows is worked out";

/**
 * Nobody is heard of who runs it: it is lost, and is begun again. A word that is as far ahead is of a clock that was ahead, and
 * was set back since: who lives says another soon.
 */
export function isLostBuild(
  { heardAt }: Pick<BuildUnderWay, "heardAt">,
  { now, lostAfterMs }: { readonly now: string; readonly lostAfterMs: number },
): boolean {
  return Math.abs(timeMs(now) - timeMs(heardAt)) > lostAfterMs;
}

/**
 * How a module stands by the build of it that runs now, for whoever reads what the last plan kept: a build begins after the
 * plan that asked for it, when it has a slot, and ends, or is lost, before the next one. As a plan has it: what cannot be
 * built is said before what runs, and what is current stays it while an older build ends.
 */
export function standByBuild(module: Name, { standing, standingWhy }: Stands, build: BuildUnderWay | null): Stands {
  const stands = { standing, standingWhy };
  if (build === null) {
    return standing === "building" ? { standing: "out-of-date", standingWhy: noBuildRuns } : stands;
  }
  if (standing === "building" || standing === "current" || standing === "broken" || standing === "cannot-tell")
    return stands;
  return { standing: "building", standingWhy: `${module} is being built` };
}
