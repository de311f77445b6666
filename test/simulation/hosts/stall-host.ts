import { faultsUntilMs } from "../faults.ts";
import type { Parts } from "../parts.ts";
import type { Random } from "../random.ts";
import { pauseProcess, resumeProcess } from "../timeline.ts";
import type { SimulatedHost } from "./host.ts";

/** Hosts stand still as their machines do, at any moment; what was due meanwhile comes when they go on. */
export function scheduleStalls(parts: Parts): void {
  const { faults, hosts, nodes } = parts;
  const own = parts.random.fork("stalls");
  faults.often(own, 60_000, () => {
    const host = hosts.get(own.pick(nodes));
    if (host !== undefined && faults.isOn("stall")) stallHost(parts, host, own);
  });
}

/** In the middle of a write: between what it kept and its mark, or before what it tracks is on its disk. */
export function stallMayBe(parts: Parts, host: SimulatedHost, own: Random): void {
  if (parts.faults.isOn("stall") && own.chance(0.03)) stallHost(parts, host, own);
}

function stallHost({ timeline, story }: Parts, { node, process }: SimulatedHost, own: Random): void {
  if (process.isPaused || process.isKilled) return;
  // When faults end, everybody goes on.
  const forMs = Math.min(own.between(1_000, 30_000), faultsUntilMs - timeline.nowMs);
  story.say(`the host of ${node} stands still for ${forMs} ms`);
  pauseProcess(process);
  timeline.at(forMs, () => {
    story.say(`the host of ${node} goes on`);
    resumeProcess(timeline, process);
  });
}
