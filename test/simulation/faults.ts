import type { Random } from "./random.ts";
import type { StoreFaults } from "./store/road.ts";

/** Classes of faults; a failing seed is made smaller by switching off those that it does not need. */
export const faultNames = [
  "store",
  "crash",
  "pause",
  "clock",
  "link",
  "reset",
  "disk",
  "machine",
  "zombie",
  "gone",
  "fork",
  "restore",
  "slip",
  "policy",
  "batch",
  "providers",
  "removal",
  "handover",
  "putback",
  "unclean",
  "service",
  "stall",
  "hostclock",
] as const;
export type FaultName = (typeof faultNames)[number];
export type FaultSwitches = ReadonlySet<FaultName>;

/** Until then things go wrong; after it everything must come right. */
export const faultsUntilMs = 150_000;

export interface Faults {
  /** This class is on, and it is not over yet. */
  isOn(name: FaultName): boolean;
  store(random: Random): StoreFaults;
  /** Calls `act` once, when faults are over. */
  atEnd(act: () => void): void;
  /** Calls `act` again and again, about every `everyMs`, while faults last. */
  often(random: Random, everyMs: number, act: () => void): void;
}

export function createFaults(
  switches: FaultSwitches,
  nowMs: () => number,
  at: (delayMs: number, act: () => void) => void,
): Faults {
  const isOn = (name: FaultName): boolean => switches.has(name) && nowMs() < faultsUntilMs;
  return {
    isOn,
    store: (random) => ({
      latencyMs: () => random.between(1, 8) + (isOn("store") && random.chance(0.01) ? random.between(100, 3000) : 0),
      call() {
        if (!isOn("store")) return "none";
        const what = random.next();
        return what < 0.01 ? "refused" : what < 0.02 ? "answer-lost" : "none";
      },
    }),
    atEnd: (act) => at(faultsUntilMs - nowMs(), act),
    often(random, everyMs, act) {
      for (
        let whenMs = random.between(0, everyMs * 2);
        whenMs < faultsUntilMs;
        whenMs += random.between(everyMs / 2, everyMs * 2)
      )
        at(whenMs, act);
    },
  };
}
