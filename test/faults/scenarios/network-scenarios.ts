import { nodes, type FaultBed } from "../mesh/bed.ts";
import type { Network, Way } from "../mesh/network.ts";
import { moveShop, startPush, waitUntilEnded, waitUntilSettled } from "../mesh/workload.ts";
import { expectCutOff } from "./expect-cut-off.ts";
import type { Scenario } from "./scenario.ts";

const ways: readonly { readonly way: Way; readonly words: string }[] = [
  { way: "both", words: "nothing passes between a host and the controller" },
  { way: "from", words: "what a host sends is lost, and what is sent to it arrives" },
  { way: "to", words: "what is sent to a host is lost, and what it sends arrives" },
];

/** Hosts in network namespaces of their own, cut off from the controller during a push, and back. */
export const networkScenarios: readonly Scenario[] = ways.map(({ way, words }) => ({
  name: `partition-${way}`,
  what: `${words}: the push ends for the others, and it gets the newest when it is back (R30, case 32)`,
  group: "network",
  needs: "namespaces",
  async run(bed, random) {
    const network = requireNetwork(bed);
    const [a, b] = nodes;
    const node = random.pick([a, b]);
    await network.cut(node, way);
    await moveShop(bed);
    const first = await startPush(bed, "node-a", "node-c");
    await waitUntilEnded(bed, first);
    await moveShop(bed);
    const second = await startPush(bed, "node-a");
    await waitUntilEnded(bed, second);
    await expectCutOff(bed, { node, way, other: node === a ? b : a }, { first, newest: second });
    await network.heal(node);
    await waitUntilSettled(bed);
    await Promise.all([first.answered, second.answered]);
  },
}));

function requireNetwork({ network }: FaultBed): Network {
  if (network === null) throw new Error("hosts have no network of their own in this run");
  return network;
}
