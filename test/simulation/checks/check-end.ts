import { composeForPush } from "../../../src/decide/compose-for-push.ts";
import { describeOrder } from "../../../src/decide/order.ts";
import type { Controller } from "../controllers/controller.ts";
import type { SimulatedHost } from "../hosts/host.ts";
import { newestSent, type Records, worldOf } from "../store/state.ts";
import { demand } from "./violation.ts";

export interface End {
  readonly records: Records;
  readonly openPushes: ReadonlySet<string>;
  readonly controllers: Iterable<Controller>;
  readonly hosts: ReadonlyMap<string, SimulatedHost>;
}

/** L1, L2 and L5, long after the last fault. */
export function checkEnd({ records, openPushes, controllers, hosts }: End): void {
  demand(openPushes.size === 0, "L5", () => `${[...openPushes].join(", ")} never ended`);
  const holders = [...controllers].filter((one) => one.lease?.mayAct() === true);
  demand(holders.length === 1, "L2", () => `${holders.length} controllers may act at the end`);
  const world = worldOf(records);
  for (const [node, host] of hosts) {
    const { composition, digest } = composeForPush(world, node, { named: true });
    const sent = newestSent(records, node);
    if (composition.kind !== "composed" || sent === null) continue;
    demand(sent.digest === digest, "L5", () => `${node} was last sent ${sent.digest}, and should be ${digest}`);
    const { mark } = host.disk;
    demand(mark?.digest === sent.digest, "L1", () => {
      return `${node} was sent ${describeOrder(sent.order)}, and has ${mark === null ? "nothing" : describeOrder(mark.order)}`;
    });
    const account = records.accounts.get(node);
    demand(account?.outcome === "applied" && account.digest === sent.digest, "L1", () => {
      return `the account of ${node} says ${account?.outcome ?? "nothing"} at the end`;
    });
  }
}
