import { assembleView, type MeshView, type ViewOptions } from "../../../src/store/situations.ts";
import { listClaims, newestSent, type Records, worldOf } from "./state.ts";

/** Of the twin's records, which do not change after they were read: how nodes stand is worked out when it is asked. */
export function viewLazily(records: Records, options: ViewOptions): MeshView {
  const { nodes, sent, accounts, world } = viewRecordsOf(records);
  let whole: MeshView | null = null;
  return {
    world,
    nodes: new Map(nodes.map((one) => [one.name, one])),
    sent: new Map(sent.map((one) => [one.node, one])),
    accounts: new Map(accounts.map((one) => [one.node, one])),
    unread: new Map(),
    readAt: options.now,
    get situations() {
      whole ??= assembleView(viewRecordsOf(records), options);
      return whole.situations;
    },
  };
}

function viewRecordsOf(records: Records): Parameters<typeof assembleView>[0] {
  const names = [...records.nodes.keys()].toSorted();
  return {
    world: worldOf(records),
    nodes: names.flatMap((name) => records.nodes.get(name) ?? []),
    sent: names.flatMap((name) => newestSent(records, name) ?? []),
    accounts: names.flatMap((name) => records.accounts.get(name) ?? []),
    told: [],
    claims: listClaims(records),
    followed: new Map(),
  };
}
