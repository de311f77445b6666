import type { HostChecks } from "./checks/check-hosts.ts";
import type { Controller } from "./controllers/controller.ts";
import { restartHost } from "./hosts/launch-host.ts";
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
  for (const node of nodes) {
    const fromMs = own.between(0, faultsUntilMs);
    if (own.chance(0.4)) parts.broken.set(node, { fromMs, toMs: fromMs + own.between(70_000, 120_000) });
  }
  when("link", 60_000, () => parts.cuts.set(own.pick(nodes), timeline.nowMs + own.between(1_000, 30_000)));
  when("disk", 80_000, () => parts.full.set(own.pick(nodes), timeline.nowMs + own.between(1_000, 20_000)));
}
