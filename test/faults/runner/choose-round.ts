import type { Random } from "../../simulation/random.ts";
import type { Scenario } from "../scenarios/scenario.ts";

/**
 * The order of a round: by chance within each group, then from each group in turn, so that a short round has something
 * of everything.
 */
export function chooseRound(scenarios: readonly Scenario[], random: Random): Scenario[] {
  const groups = new Map<string, Scenario[]>();
  for (const scenario of scenarios) groups.set(scenario.group, [...(groups.get(scenario.group) ?? []), scenario]);
  const queues = shuffle([...groups.values()], random).map((group) => shuffle(group, random));
  const order: Scenario[] = [];
  while (order.length < scenarios.length)
    for (const queue of queues) {
      const next = queue.shift();
      if (next !== undefined) order.push(next);
    }
  return order;
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  const mixed: T[] = [];
  while (rest.length > 0) mixed.push(...rest.splice(random.between(0, rest.length - 1), 1));
  return mixed;
}
