import { ViolationError } from "./checks/violation.ts";
import type { Setting } from "./setting.ts";
import { createSimulation } from "./simulation.ts";

export interface SeedResult {
  readonly seed: number;
  /** The promise that was broken; `unexpected` where the run itself failed. */
  readonly violation: { readonly invariant: string; readonly message: string } | null;
  /** Two runs of one seed have one hash. */
  readonly hash: string;
  readonly events: number;
  readonly sends: number;
  /** The last of what happened, in words. */
  readonly story: readonly string[];
}

/** One life of a mesh: faults, then none, then everything must be as the records want it. */
export async function runSeed(seed: number, setting: Setting): Promise<SeedResult> {
  // Errors are part of the weather here: where each came from is looked up only in a run that is read.
  Error.stackTraceLimit = setting.keepLines > 0 ? 10 : 0;
  const simulation = createSimulation(seed, setting);
  let violation: SeedResult["violation"] = null;
  try {
    await simulation.play();
  } catch (error) {
    violation =
      error instanceof ViolationError
        ? { invariant: error.invariant, message: error.message }
        : { invariant: "unexpected", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const { story, counts } = simulation;
  return { seed, violation, hash: story.hash(), events: simulation.events(), sends: counts.sends, story: story.lines };
}
