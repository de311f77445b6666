import type { Digest, Name } from "../core/names.ts";
import type { BuildFacts } from "./build-facts.ts";
import type { BuildPlan } from "./plan-builds.ts";

export interface Announced {
  readonly module: Name;
  /** A sentence; for what is only reached, the edge by which. */
  readonly why: string;
}

/** The most that may be rebuilt: what is out of date, and all that is reached over inbound edges. In build order (R9). */
export function rebuildSet(_facts: BuildFacts): Announced[] {
  throw new Error("not written yet");
}

/** What the build of a module came to in this wave. */
export interface WaveResult {
  readonly state: "fit" | "unfit" | "outstanding" | "superseded";
  readonly artifact: Digest | null;
  readonly message: string;
}

export interface Accounted {
  readonly module: Name;
  readonly outcome: "built" | "cut-off" | "failed" | "waiting" | "superseded";
  readonly why: string;
}

/** One row for every module announced, whatever happened (R9). `plan`: planned again when the wave ended. */
export function accountWave(
  _announced: readonly Name[],
  _results: ReadonlyMap<Name, WaveResult>,
  _plan: BuildPlan,
): Accounted[] {
  throw new Error("not written yet");
}
