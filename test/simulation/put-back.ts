import type { HostChecks } from "./checks/check-hosts.ts";
import { faultsUntilMs } from "./faults.ts";
import type { SimulatedHost } from "./hosts/host.ts";
import { restartHost } from "./hosts/launch-host.ts";
import type { DiskContent } from "./hosts/model-disk.ts";
import type { Parts } from "./parts.ts";

/** A snapshot of one machine: what is on its disk, and what its host has made there. */
interface Image {
  readonly incarnation: string;
  readonly disk: DiskContent;
  readonly present: ReadonlyMap<string, string>;
  readonly granted: ReadonlyMap<string, readonly string[]>;
  readonly strays: ReadonlySet<string>;
}

/**
 * Later than a restore of the records: what both together take back is nobody's promise. And so late that in some runs nothing
 * new is sent to it before somebody looks whether it is said.
 */
const fromMs = faultsUntilMs - 30_000;

/** The machine of one host is put back to a snapshot of an earlier moment, and goes on from there. */
export function schedulePutBack(parts: Parts, checks: HostChecks): void {
  const { timeline, faults, nodes, hosts, counts, story } = parts;
  const own = parts.random.fork("putback");
  if (!own.chance(0.5)) return;
  const node = own.pick(nodes);
  const atMs = own.between(fromMs, faultsUntilMs - 5_000);
  const takenMs = own.between(5_000, atMs - 5_000);
  let image: Image | null = null;
  timeline.at(takenMs, () => {
    const host = hosts.get(node);
    if (host === undefined || !faults.isOn("putback")) return;
    image = take(host);
    // Started again since, it comes back with a number that was given already, or with a lower one.
    for (let starts = own.between(1, 3); starts > 0; starts -= 1)
      timeline.at(own.between(1_000, atMs - takenMs - 3_000), () => restartHost(parts, checks, node, 500));
  });
  timeline.at(atMs, () => {
    const host = hosts.get(node);
    // Who enrolled since has another key than the one in the snapshot; records that were restored may know less than it.
    if (image === null || host?.incarnation !== image.incarnation || counts.restores > 0) return;
    story.say(`${node} is put back to what it was at ${takenMs / 1000} s`);
    restartHost(parts, checks, node, own.between(500, 3_000));
    checks.putBack(host);
    putBack(host, image);
  });
}

function take({ incarnation, disk, machine: { present, granted, strays } }: SimulatedHost): Image {
  const made = { present: new Map(present), granted: new Map(granted), strays: new Set(strays) };
  return { incarnation, disk: { ...disk }, ...made };
}

function putBack(host: SimulatedHost, { disk, present, granted, strays }: Image): void {
  host.timesPutBack += 1;
  host.disk = { ...disk };
  fill(host.machine.present, present);
  fill(host.machine.granted, granted);
  host.machine.strays.clear();
  for (const id of strays) host.machine.strays.add(id);
}

function fill<K, V>(map: Map<K, V>, from: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}
