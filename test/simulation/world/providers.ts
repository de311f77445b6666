import { providerLabel } from "../../../src/decide/index-world.ts";
import type { Parts } from "../parts.ts";
import { assign, firstProviders, unassign } from "./mesh.ts";

const everyMs = 20_000;
const kinds = ["broker", "rows"] as const;
/** What its consumers call it. */
const requirements = { broker: "jobs", rows: "table" } as const;

/** What people do with providers: a second one of a kind, one that is taken away, consumers that choose (R3, case 24). */
export function scheduleProviders(parts: Parts): void {
  const { store, faults, story, nodes } = parts;
  const own = parts.random.fork("providers");
  const change = (): string => {
    const node = own.pick(nodes);
    const module = own.pick(kinds);
    const isThere = store.records.assignments.get(node)?.some((one) => one.module === module) === true;
    const what = own.next();
    if (what < 0.6) {
      store.edit((draft) => (isThere ? unassign : assign)(draft, module, node, {}));
      return `${module} ${isThere ? "unassigned from" : "also assigned to"} ${node}`;
    }
    const consumers = listConsumers(parts, module);
    if (consumers.length === 0) return "nobody chooses a provider";
    const consumer = own.pick(consumers);
    const label = providerLabel({ module, node });
    const chosen = own.chance(0.3) ? {} : { ...consumer.providers, [requirements[module]]: label };
    store.edit((draft) => assign(draft, consumer.module, consumer.node, consumer.config, chosen));
    return `${consumer.module} on ${consumer.node} chooses ${JSON.stringify(chosen)}`;
  };
  faults.often(own, everyMs, () => {
    if (faults.isOn("providers")) story.say(change());
  });
  // Where nobody would be served for ever, there is nothing to look at: somebody mends what people chose.
  if (own.chance(0.7)) faults.atEnd(() => story.say(mend(parts)));
}

function listConsumers({ store }: Parts, module: (typeof kinds)[number]) {
  const all = [...store.records.assignments.values()].flat();
  return all.filter((one) => one.module === "both" || (module === "broker" && one.module === "page"));
}

/** Nobody chooses, and one of each kind is there: that which has been there all along, or the first. */
function mend(parts: Parts): string {
  const { store, nodes } = parts;
  const left = kinds.map((module) => {
    const there = nodes.filter((node) => store.records.assignments.get(node)?.some((one) => one.module === module));
    const first = nodes.at(firstProviders[module]) ?? nodes[0] ?? "";
    const kept = there.includes(first) ? first : (there[0] ?? first);
    store.edit((draft) => {
      for (const node of there) if (node !== kept) unassign(draft, module, node);
      if (there.length === 0) assign(draft, module, kept, {});
      for (const one of listConsumers(parts, module))
        if (Object.keys(one.providers).length > 0) assign(draft, one.module, one.node, one.config);
    });
    return providerLabel({ module, node: kept });
  });
  return `everybody is to be served by ${left.join(" and ")}`;
}
