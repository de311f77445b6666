import type { HostClock } from "../host-clock.ts";
import type { RootWalk } from "./root-walk.ts";

export interface WalkLoopOptions {
  readonly walk: RootWalk;
  readonly clock: HostClock;
  /** 0 ≤ chance < 1: many hosts that started at once do not ask at once. */
  readonly chance: () => number;
  readonly everyMs: number;
}

/** Looks for a newer root at the start and on the interval: what is wrong with one is known before it is needed. */
export async function walkLoop({ walk, clock, chance, everyMs }: WalkLoopOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await walk.walk(signal);
    await clock.wait(everyMs * (0.8 + chance() * 0.4), signal);
  }
}
