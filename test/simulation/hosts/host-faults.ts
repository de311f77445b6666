import { UnavailableError } from "../../../src/core/errors.ts";
import { NoAnswerError } from "../../../src/host/providers/no-answer.ts";
import { faultsUntilMs } from "../faults.ts";
import type { Parts } from "../parts.ts";
import type { Random } from "../random.ts";
import type { WallClock } from "./host.ts";
import type { MachineFaults } from "./model-machine.ts";

/** What goes wrong on one machine, in one life of its host. */
export function createMachineFaults(parts: Parts, node: string, own: Random): MachineFaults {
  const { faults } = parts;
  const unclean = own.fork("unclean");
  return {
    applyMs: () => own.between(1, 400),
    apply: ({ id }) => failToApply(parts, node, id, own),
    removeMs: () => (faults.isOn("unclean") ? unclean.between(1, 400) : 0),
    remove: ({ id }) => (faults.isOn("unclean") ? failToRemove(parts, node, id, unclean) : null),
    leavesHalf: () => faults.isOn("unclean") && unclean.chance(0.3),
  };
}

/** What does not answer may answer soon; what is broken fails again and again, each time in other words. */
function failToApply({ faults, broken, timeline }: Parts, node: string, id: string, own: Random): Error | null {
  if (faults.isOn("machine") && isBroken({ broken, timeline }, node))
    return new Error(`${id} ended with code 1, pid ${own.between(100, 30_000)}`);
  return faults.isOn("disk") && own.chance(0.05) ? new UnavailableError(`${id} does not answer`) : null;
}

function failToRemove(parts: Parts, node: string, id: string, unclean: Random): Error | null {
  if (isBroken(parts, node)) return new Error(`${id} cannot be removed, pid ${unclean.between(100, 30_000)}`);
  if (!unclean.chance(0.3)) return null;
  return unclean.chance(0.5) ? new NoAnswerError(`${id} does not answer`) : new Error(`${id} is busy`);
}

function isBroken({ broken, timeline }: Pick<Parts, "broken" | "timeline">, node: string): boolean {
  const window = broken.get(node);
  return window !== undefined && timeline.nowMs >= window.fromMs && timeline.nowMs < window.toMs;
}

/** Far off, at another rate, and set to another time while the host runs: nothing in the order may depend on it. */
export function createClock({ faults, timeline }: Parts, own: Random): WallClock {
  const offsetMs = faults.isOn("clock") ? own.between(-86_400_000, 86_400_000) : 0;
  if (!faults.isOn("hostclock")) return { rate: 1, offsetMs: () => offsetMs };
  const moving = own.fork("clock");
  const rate = 1 + (moving.next() - 0.5) * 0.2;
  const jumpMs = moving.chance(0.5) ? moving.between(-3_600_000, 3_600_000) : 0;
  const jumpAtMs = moving.between(timeline.nowMs, faultsUntilMs);
  return { rate, offsetMs: () => offsetMs + (timeline.nowMs > jumpAtMs ? jumpMs : 0) };
}
