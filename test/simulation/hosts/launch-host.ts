import { UnavailableError } from "../../../src/core/errors.ts";
import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import type { HostChecks } from "../checks/check-hosts.ts";
import { listAnswering } from "../controllers/launch-controller.ts";
import { guard, type Parts } from "../parts.ts";
import { epochStartMs } from "../store/backend.ts";
import { faultsUntilMs } from "../faults.ts";
import { createProcess } from "../timeline.ts";
import { meshName } from "../world/mesh.ts";
import { type SimulatedHost, startHost } from "./host.ts";
import { createLink } from "./link.ts";
import { emptyDisk } from "./model-disk.ts";
import { createClock, createMachineFaults } from "./host-faults.ts";
import { createMachine } from "./model-machine.ts";
import { stallMayBe } from "./stall-host.ts";

/** As long as a start takes, where a host was killed when faults were about to end. */
const healMs = 500;

/** The host of a node, on the disk and the machine that an earlier one left. */
export function launchHost(parts: Parts, checks: HostChecks, node: string): void {
  if (parts.gone.has(node)) return;
  const { timeline, faults, story, envelopes, waiters, hosts, store, counts } = parts;
  const host: SimulatedHost = hosts.get(node) ?? {
    node,
    incarnation: `host-${node}-1`,
    process: createProcess(node),
    disk: emptyDisk(),
    machine: createMachine(),
    timesPutBack: 0,
  };
  hosts.set(node, host);
  const { incarnation } = host;
  const again = host.timesPutBack === 0 ? "" : ` again ${host.timesPutBack}`;
  const own = parts.random.fork(`host ${node} ${host.disk.boot + 1}${again}`);
  const stalls = own.fork("stalls");
  const isUntil = (until: ReadonlyMap<string, number>): boolean => (until.get(node) ?? 0) > timeline.nowMs;
  startHost({
    host,
    mesh: meshName,
    timeline,
    random: own,
    envelopes,
    link: createLink({
      node,
      timeline,
      random: own,
      faults,
      waiters,
      answering: () => listAnswering(parts),
      isCut: () => isUntil(parts.cuts),
      isEnrolled: () => store.records.nodes.get(node)?.incarnation === incarnation,
      keptPlace() {
        const kept = store.records.accounts.get(node);
        return kept === undefined ? null : { has: kept.has, boot: kept.boot, sequence: kept.sequence };
      },
      pickOld(chance) {
        const { mark } = host.disk;
        // Now and then what is another node's, truly signed: a link or a controller that mixes them up (I4).
        const whose = chance.chance(0.2) ? chance.pick([...store.records.nodes.keys()]) : node;
        const all = store.records.declarations.get(whose) ?? [];
        // What restored records sent before anybody noticed is no old one: the gateway keeps it from who is ahead.
        const list = all.filter(
          ({ mail }) => counts.restores === 0 || (mark !== null && compareOrder(mail.order, mark.order) <= 0),
        );
        return list.length === 0 ? null : chance.pick(list).mail.envelope;
      },
    }),
    disk: {
      writeMs() {
        stallMayBe(parts, host, stalls);
        return own.between(1, 20);
      },
      isFull: () => faults.isOn("disk") && isUntil(parts.full),
    },
    machine: createMachineFaults(parts, node, own),
    clock: createClock(parts, own),
    onPass: (accepted) => guard(parts, () => checks.begin(host, accepted)),
    onApply: (accepted, ...touched) => guard(parts, () => checks.touch(host, accepted, ...touched)),
    onReport(report) {
      const at = report.has === null ? "nothing" : describeOrder(report.has);
      story.say(`${node} reports ${report.outcome} at ${at}`);
      guard(parts, () => checks.report(host, report));
    },
    startMs: epochStartMs,
  }).catch((error: unknown) => {
    parts.failure ??= error;
  });
}

export function restartHost(parts: Parts, checks: HostChecks, node: string, downMs: number): void {
  const host = parts.hosts.get(node);
  if (host === undefined || host.process.isKilled) return;
  parts.story.say(`the host of ${node} is killed`);
  host.process.isKilled = true;
  // When faults end, everybody is switched on again: until the run's end there must be time to converge.
  const leftMs = Math.max(healMs, faultsUntilMs - parts.timeline.nowMs);
  parts.timeline.at(Math.min(downMs, leftMs), () => launchHost(parts, checks, node));
}

/** Its host never comes back, and nobody says so to anybody. */
export function loseHost(parts: Parts, node: string): void {
  const host = parts.hosts.get(node);
  if (host === undefined) return;
  parts.story.say(`the host of ${node} is dead for ever`);
  parts.gone.add(node);
  host.process.isKilled = true;
}

/** The same machine enrols again: its name stays, its incarnation is another. */
export function enrolAnew(parts: Parts, checks: HostChecks, node: string): string {
  parts.counts.incarnations += 1;
  const host = parts.hosts.get(node);
  if (host === undefined) throw new UnavailableError(`no host ${node}`);
  // A disk that was lost is the other reason to enrol again.
  if (parts.faults.isOn("disk") && parts.random.fork(`lost ${parts.counts.incarnations}`).chance(0.5)) loseDisk(host);
  host.incarnation = `host-${node}-again-${parts.counts.incarnations}`;
  restartHost(parts, checks, node, 500);
  return host.incarnation;
}

/** What it had made is still there, and the new disk knows nothing of it. */
function loseDisk(host: SimulatedHost): void {
  host.disk = emptyDisk();
  for (const id of host.machine.present.keys()) host.machine.strays.add(id);
}
