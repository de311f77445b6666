import type { Name } from "../core/names.ts";
import type { ChosenModule } from "./choose-builds.ts";
import type { Pins, Problem } from "./composition.ts";
import { findCycle } from "./find-cycle.ts";
import type { World } from "./world.ts";

/** R2: what must be up on this node is on this node, has a service, and does not wait for its waiter. */
export function checkPresence(world: World, node: Name, pins: Pins, chosen: readonly ChosenModule[]): Problem[] {
  const assigned = new Set(world.assignments.get(node)?.map((assignment) => assignment.module));
  const byName = new Map(chosen.map((module) => [module.module, module]));
  const problems: Problem[] = [];
  for (const { module, manifest } of chosen) {
    for (const { module: needed } of manifest.presence) {
      const there = byName.get(needed);
      if (there === undefined && assigned.has(needed)) {
        // At the newest builds its own problem is said already.
        if (pins.at === "newest") continue;
        const why = `${module} needs ${needed} beside it, which was never sent to ${node}: \`push ${node}\` sends both`;
        problems.push({ code: "missing-presence", module, why });
      } else if (there === undefined) {
        const why = `${module} needs ${needed} beside it on ${node}: assign ${needed} to ${node} too`;
        problems.push({ code: "missing-presence", module, why });
      } else if (there.manifest.service === undefined) {
        const why = `${module} waits for the service of ${needed} on ${node}, and ${needed} has none`;
        problems.push({ code: "missing-presence", module, why });
      }
    }
  }
  const edges = new Map(chosen.map(({ module, manifest }) => [module, manifest.presence.map((edge) => edge.module)]));
  const cycle = findCycle(edges);
  if (cycle !== null) {
    const why = `services on ${node} wait for each other and none could start: ${[...cycle, cycle[0]].join(" → ")}`;
    problems.push({ code: "presence-cycle", module: cycle[0], why });
  }
  return problems;
}
