import type { Declaration } from "../../../src/core/declaration.ts";
import { composeForPush } from "../../../src/decide/compose-for-push.ts";
import { describeOrder } from "../../../src/decide/order.ts";
import type { AccountRecord } from "../../../src/store/read-accounts.ts";
import type { ViewOptions } from "../../../src/store/situations.ts";
import type { Lease } from "../../../src/worker/lease-keeper.ts";
import type { SimulatedHost } from "../hosts/host.ts";
import { viewLazily } from "../store/view-lazily.ts";
import {
  type KeptProvision,
  listClaims,
  newestDeclaration,
  newestSent,
  type Records,
  worldOf,
} from "../store/state.ts";
import type { CommitChecks } from "./check-commits.ts";
import { findMistold } from "./check-content.ts";
import { findDifference } from "./check-machine.ts";
import { demand } from "./violation.ts";

export interface End {
  readonly records: Records;
  readonly openPushes: ReadonlySet<string>;
  readonly controllers: Iterable<{ readonly lease: Pick<Lease, "mayAct"> | null }>;
  readonly hosts: ReadonlyMap<string, SimulatedHost>;
  /** Those whose host is dead for ever. */
  readonly gone: ReadonlySet<string>;
  /** Those whom a push named since they were said to have gone back. */
  readonly toldAgain: ReadonlySet<string>;
  readonly nowIso: string;
  readonly limits: ViewOptions["limits"];
  readonly open: (envelope: Uint8Array) => Declaration;
}

/** L1, L2, L4 and L5, long after the last fault. */
export function checkEnd({ records, openPushes, controllers, hosts, gone, toldAgain, open, ...end }: End): void {
  demand(openPushes.size === 0, "L5", () => `${[...openPushes].join(", ")} never ended`);
  const holders = [...controllers].filter((one) => one.lease?.mayAct() === true);
  demand(holders.length === 1, "L2", () => `${holders.length} controllers may act at the end`);
  const world = worldOf(records);
  checkNamed({ records, gone, ...end });
  for (const one of records.provisions) {
    const { id, version, state, provider } = one.provision;
    if (state !== "owed" || gone.has(provider.node) || isForgotten(records, one, hosts)) continue;
    if (isDeaf(records, provider.node, toldAgain)) continue;
    demand(cannotBeTold(records, one), "L1", () => {
      return `${id}#${version} is owed by ${provider.node}, and nobody says it is gone`;
    });
  }
  for (const [node, host] of hosts) {
    const { composition, digest } = composeForPush(world, node, { named: true });
    const newest = newestDeclaration(records, node);
    if (composition.kind !== "composed") continue;
    demand(newest !== null, "L5", () => `${node} was never sent anything`);
    const { sent } = newest;
    demand(sent.digest === digest, "L5", () => `${node} was last sent ${sent.digest}, and should be ${digest}`);
    const left = composition.mints.length + composition.withdrawals.length;
    demand(left === 0, "L5", () => `${node} has ${left} credentials to mint or withdraw, and nobody does`);
    const told = open(newest.mail.envelope);
    const mistold = findMistold(records, node, told);
    demand(mistold === null, "L5", () => `${node} is told what nobody said: ${mistold}`);
    if (gone.has(node)) continue;
    const account = records.accounts.get(node);
    const isReverted = checkReverted(host, account ?? null);
    const { mark } = host.disk;
    demand(mark?.digest === sent.digest, "L1", () => {
      return `${node} was sent ${describeOrder(sent.order)}, and has ${mark === null ? "nothing" : describeOrder(mark.order)}`;
    });
    checkMachine(records, host, told);
    // Of who went back, what was kept before stands, until it is told something that it did not have then: a push of it does.
    if (isReverted && !toldAgain.has(node)) continue;
    demand(!isReverted, "L1", () => `${node} went back, was pushed since, and nothing that it says is kept`);
    demand(account?.outcome === "applied" && account.digest === sent.digest, "L1", () => {
      return `the account of ${node} says ${account?.outcome ?? "nothing"} at the end`;
    });
  }
}

/** L1: each thing on the machine is as it was told last, nothing else is there, and it grants what is issued from it. */
function checkMachine(records: Records, { node, incarnation, machine }: SimulatedHost, told: Declaration): void {
  const difference = findDifference(machine, told.content.resources);
  demand(difference === null, "L1", () => `${node} is not as it was told: ${difference}`);
  const modules = new Set((records.assignments.get(node) ?? []).map(({ module }) => module));
  const issued = records.provisions.flatMap(({ provision: { id, version, state, provider } }) => {
    const isHere = provider.node === node && provider.incarnation === incarnation && modules.has(provider.module);
    return isHere && state === "issued" ? [`${id}#${version}`] : [];
  });
  const granted = [...machine.granted].flatMap(([id, list]) => (machine.strays.has(id) ? [] : list));
  demand(granted.toSorted().join() === issued.toSorted().join(), "L1", () => {
    return `${node} grants ${granted.join(", ") || "nothing"}, and ${issued.join(", ") || "nothing"} is issued from it`;
  });
}

/** Those who are said to have gone back, of hosts that are enrolled now. */
export function listReverted({ accounts, nodes }: Records): string[] {
  return [...accounts.values()].flatMap(({ node, incarnation, reverted }) =>
    reverted !== null && nodes.get(node)?.incarnation === incarnation ? [node] : [],
  );
}

/** It went back, and nobody pushed it since, or nobody can: then it is told nothing, and nothing that it says is kept. */
function isDeaf(records: Records, node: string, toldAgain: ReadonlySet<string>): boolean {
  if (records.accounts.get(node)?.reverted == null) return false;
  return (
    !toldAgain.has(node) || composeForPush(worldOf(records), node, { named: true }).composition.kind !== "composed"
  );
}

/** L4: whoever is dead for ever is said to be silent, whatever else holds. */
function checkNamed({ records, gone, nowIso, limits }: Pick<End, "records" | "gone" | "nowIso" | "limits">): void {
  if (gone.size === 0) return;
  const { situations } = viewLazily(records, { now: nowIso, limits });
  for (const node of gone) {
    const words = (situations.get(node)?.all ?? []).map(({ word }) => word);
    const isNamed = words.some((word) => word === "silent" || word === "never-told");
    demand(isNamed, "L4", () => `${node} is dead for ever, and is said to be ${words.join(", ") || "nothing"}`);
  }
}

/** I17: who was put back, and nothing of whom was kept since, is said to be reverted. Answers whether it is. */
function checkReverted(host: SimulatedHost, account: AccountRecord | null): boolean {
  const isSaid = account?.reverted != null && account.incarnation === host.incarnation;
  if (host.timesPutBack === 0 || account?.incarnation !== host.incarnation) return isSaid;
  const isHeard = account.report.bootId.endsWith(`-back-${host.timesPutBack}`);
  demand(isSaid || isHeard, "I17", () => `${host.node} was put back, and nobody says so: its account is of before`);
  return isSaid;
}

/**
 * The module is there no more, and the host's disk knows nothing of it: it was lost, or the host was away from when it was to
 * grant until it was not. Nobody can confirm it then: a debt until people remove the node.
 */
function isForgotten(records: Records, { provision }: KeptProvision, hosts: End["hosts"]): boolean {
  const { node, module } = provision.provider;
  const grant = `grant/${module}/${provision.kind}`;
  const known = hosts.get(node)?.disk.applied;
  const isKnown = known?.resources.some(({ resource }) => resource.id === grant) === true;
  if (isKnown || known?.withdrawn.includes(grant) === true) return false;
  return newestSent(records, node)?.builds?.[module] === undefined;
}

/**
 * Never told of it, enrolled anew since, or it has what the records lost; and what it should be cannot be worked out: it is
 * sent nothing.
 */
function cannotBeTold(records: Records, { provision, told }: KeptProvision): boolean {
  const { node, incarnation } = provision.provider;
  const isAhead = listClaims(records).some((claim) => claim.node === node);
  if (told !== null && records.nodes.get(node)?.incarnation === incarnation && !isAhead) return false;
  return composeForPush(worldOf(records), node, { named: true }).composition.kind !== "composed";
}

/** I9, R18: a push that settled has told the provider of everything it minted, or says why not. */
export function checkPushEnd(records: Records, push: string, { settled }: Pick<CommitChecks, "settled">): void {
  const result = records.pushes.get(push)?.result;
  if (result?.outcome !== "settled") return;
  if (result.rounds > 0) settled(push);
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
