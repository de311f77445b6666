import type { Provision } from "../../../src/core/provision.ts";
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
  for (const { provision } of records.provisions)
    demand(provision.state !== "owed" || !isThere(records, provision.provider), "L1", () => {
      return `${provision.id}#${provision.version} is owed by ${provision.provider.node}, and nobody says it is gone`;
    });
  for (const [node, host] of hosts) {
    const { composition, digest } = composeForPush(world, node, { named: true });
    const sent = newestSent(records, node);
    if (composition.kind !== "composed") continue;
    demand(sent !== null, "L5", () => `${node} was never sent anything`);
    demand(sent.digest === digest, "L5", () => `${node} was last sent ${sent.digest}, and should be ${digest}`);
    const left = composition.mints.length + composition.withdrawals.length;
    demand(left === 0, "L5", () => `${node} has ${left} credentials to mint or withdraw, and nobody does`);
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

function isThere({ nodes }: Records, { node, incarnation }: Provision["provider"]): boolean {
  return nodes.get(node)?.incarnation === incarnation;
}

/** I9, R18: a push that settled has told the provider of everything it minted, or says why not. */
export function checkPushEnd(records: Records, push: string): void {
  if (records.pushes.get(push)?.result?.outcome !== "settled") return;
  const unsent = new Set(
    (records.told.get(push) ?? []).flatMap(({ node, outcome }) =>
      outcome === "sent" || outcome === "already-current" ? [] : [node],
    ),
  );
  for (const { provision, mintedBy } of records.provisions) {
    const { id, version, provider, state } = provision;
    if (mintedBy !== push || state !== "issued" || unsent.has(provider.node)) continue;
    if (records.nodes.get(provider.node)?.incarnation !== provider.incarnation) continue;
    const isTold = (records.declarations.get(provider.node) ?? []).some(({ granted }) =>
      granted.has(`${id}#${version}`),
    );
    demand(isTold, "I9", () => `${push} settled, and ${provider.node} was never told of ${id}#${version}`);
  }
}
