import type { HostChecks } from "./checks/check-hosts.ts";
import type { Controller } from "./controllers/controller.ts";
import { resumeCopy } from "./controllers/launch-controller.ts";
import { loseHost, restartHost } from "./hosts/launch-host.ts";
import { scheduleStalls } from "./hosts/stall-host.ts";
import { faultsUntilMs } from "./faults.ts";
import type { Parts } from "./parts.ts";
import { pauseProcess, resumeProcess } from "./timeline.ts";

/** What goes wrong with whole processes, tables, links and disks. */
export function scheduleFaults(parts: Parts, checks: HostChecks): void {
  const { timeline, store, story, faults, controllers, nodes } = parts;
  const own = parts.random.fork("faults");
  const anyController = (): Controller | null => (controllers.size === 0 ? null : own.pick([...controllers]));
  const when = (name: Parameters<typeof faults.isOn>[0], everyMs: number, act: () => void): void =>
    faults.often(own, everyMs, () => {
      if (faults.isOn(name)) act();
    });
  when("crash", 60_000, () => anyController()?.kill());
  when("crash", 60_000, () =>
    restartHost(
      parts,
      checks,
      own.pick(nodes),
      own.chance(0.2) ? own.between(30_000, 100_000) : own.between(100, 20_000),
    ),
  );
  when("pause", 50_000, () => {
    const one = anyController();
    if (one === null) return;
    const forMs = own.between(1_000, 30_000);
    story.say(`${one.process.name} stands still for ${forMs} ms`);
    pauseProcess(one.process);
    // As after a suspend, when the time is fetched anew.
    if (faults.isOn("clock") && own.chance(0.4)) parts.setBackMs.set(one.process.name, own.between(1_000, 3_600_000));
    timeline.at(forMs, () => {
      story.say(`${one.process.name} goes on`);
      resumeProcess(timeline, one.process);
    });
  });
  when("store", 80_000, () => {
    story.say("the records restart");
    store.restart(own.between(100, 5_000));
  });
  when("reset", 120_000, () => {
    const what = own.pick(["lease", "grants", "both"] as const);
    story.say(`emptied: ${what}`);
    parts.emptied.atMs = timeline.nowMs;
    const isKept = (name: "lease" | "grants"): boolean => what !== "both" && what !== name;
    store.replace((records) => ({
      ...records,
      lease: isKept("lease") ? records.lease : null,
      grants: isKept("grants") ? records.grants : [],
    }));
  });
  scheduleForks(parts);
  scheduleStalls(parts);
  scheduleDeath(parts);
  scheduleHandover(parts);
  for (const node of nodes) {
    const fromMs = own.between(0, faultsUntilMs);
    if (own.chance(0.4)) parts.broken.set(node, { fromMs, toMs: fromMs + own.between(70_000, 120_000) });
  }
  when("link", 60_000, () => parts.cuts.set(own.pick(nodes), timeline.nowMs + own.between(1_000, 30_000)));
  when("disk", 80_000, () => parts.full.set(own.pick(nodes), timeline.nowMs + own.between(1_000, 20_000)));
}

/** Two that believe that they hold the lease: one cannot see time pass, or one is there twice. */
function scheduleForks(parts: Parts): void {
  const { timeline, story, faults, controllers, store } = parts;
  const own = parts.random.fork("forks");
  faults.often(own, 70_000, () => {
    if (!faults.isOn("fork")) return;
    const holder = [...controllers].find((one) => one.lease?.mayAct() === true);
    if (own.chance(0.5)) {
      if (holder === undefined) return;
      story.say(`the clock of ${holder.process.name} stands still`);
      holder.stopClock();
      timeline.at(own.between(20_000, 90_000), () => holder.startClock());
      return;
    }
    // As it was when it took the lease, whether it still has it or lost it long ago.
    const grants = store.records.grants.slice(-3);
    if (grants.length > 0) resumeCopy(parts, own.pick(grants));
  });
  // Somebody sees that a machine is there twice, and switches the copy off.
  faults.atEnd(() => {
    for (const one of controllers) {
      if (!one.isFooled) continue;
      one.startClock();
      if (one.lease !== null) one.kill();
    }
  });
}

/** The holder's machine is switched off for good when all is well again. */
function scheduleHandover({ timeline, setting, controllers, random }: Parts): void {
  const own = random.fork("handover");
  const atMs = faultsUntilMs + own.between(5_000, 20_000);
  if (!setting.switches.has("handover") || !own.chance(0.3)) return;
  timeline.at(atMs, () => [...controllers].find((one) => one.lease?.mayAct() === true)?.kill());
}

/** One host of some meshes never comes back. Early enough for its silence to be heard before the end. */
function scheduleDeath(parts: Parts): void {
  const { timeline, faults, nodes } = parts;
  const own = parts.random.fork("death");
  if (!own.chance(0.3)) return;
  const node = own.pick(nodes);
  timeline.at(own.between(0, 90_000), () => {
    if (faults.isOn("gone")) loseHost(parts, node);
  });
}
