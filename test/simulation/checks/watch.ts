import type { Declaration } from "../../../src/core/declaration.ts";
import { describeOrder } from "../../../src/decide/order.ts";
import { leaseAgeMs } from "../../../src/decide/lease.ts";
import type { SimulatedHost } from "../hosts/host.ts";
import { guard, type Parts } from "../parts.ts";
import { meshName } from "../world/mesh.ts";
import { checkPrune } from "./check-prune.ts";
import { type CommitChecks, createCommitChecks } from "./check-commits.ts";
import { createHostChecks, type HostChecks } from "./check-hosts.ts";
import { checkReport } from "./check-reports.ts";
import { demand, ViolationError } from "./violation.ts";

export type Watch = HostChecks & Pick<CommitChecks, "settled">;

/** Looks at everything that the records are told. */
export function watch(parts: Parts): Watch {
  const { store, story } = parts;
  const commits = createCommitChecks(openWith(parts));
  const withdrawn = new Set<string>();
  const hosts = createHostChecks({ commits, withdrawn });
  let highest = 0;
  store.onRestore = (records) => {
    parts.counts.restores += 1;
    highest = records.epoch;
    withdrawn.clear();
    parts.emptied.atMs = parts.timeline.nowMs;
    for (const push of parts.openPushes) parts.crossed.add(push);
    for (const { id, endedAt } of records.pushes.values()) if (endedAt === null) parts.crossed.add(id);
    commits.restored(records, parts.crossed);
    hosts.restored();
  };
  store.onCommit = (commit) => {
    parts.counts.sends += 1;
    story.say(`${commit.by} commits ${commit.epoch}.${commit.numbers.join(",")}`);
    guard(parts, () => commits.see(commit));
  };
  store.onGrant = ({ epoch, holder }) => {
    story.say(`epoch ${epoch} is granted to ${holder}`);
    guard(parts, () => demand(epoch > highest, "I2", () => `${holder} is granted epoch ${epoch} after ${highest}`));
    highest = Math.max(highest, epoch);
    guard(parts, () => checkAlone(parts, holder));
  };
  store.onChangeRead = (change) => commits.look(change);
  store.onDeclaration = (node) => parts.waiters.wake(node);
  store.onPrune = (before, after) => guard(parts, () => checkPrune(before, after));
  store.onReported = (...reported) => guard(parts, () => checkReport(...reported));
  store.onKept = (kept) => guard(parts, () => hosts.kept(kept));
  store.onReverted = (report, why) => guard(parts, () => hosts.reverted(report, why));
  store.onSecondWriter = (why) =>
    guard(parts, () => {
      throw new ViolationError("I21", `nobody else signs here: ${why}`);
    });
  store.onWithdrawn = ({ id, version, provider }) => {
    const key = `${id}#${version}`;
    const host = parts.hosts.get(provider.node);
    // It was told by what the records lost, or was put back since it said so, and nobody has seen that yet.
    if (host !== undefined && (hasLostOne(host, commits) || hosts.isBehind(host))) return;
    withdrawn.add(key);
    const granted = [...(host?.machine.granted.values() ?? [])].flat();
    guard(parts, () => {
      demand(!granted.includes(key), "I8c", () => `${key} is said to be withdrawn, and is granted on ${provider.node}`);
    });
  };
  return { ...hosts, settled: (push) => commits.settled(push) };
}

/** What is in a mailbox was signed. */
export function openWith({ envelopes }: Pick<Parts, "envelopes">): (envelope: Uint8Array) => Declaration {
  return (envelope) => {
    const opened = envelopes.open(envelope, meshName);
    if (!opened.ok) throw new ViolationError("I6", "an envelope that nobody signed is in a mailbox");
    return opened.declaration;
  };
}

function hasLostOne({ node, disk }: SimulatedHost, { mail }: CommitChecks): boolean {
  const { mark } = disk;
  const same = mark === null ? [] : (mail.get(describeOrder(mark.order)) ?? []);
  return same.some((one) => one.isLost && one.node === node && one.digest === mark?.digest);
}

/**
 * I5: whoever takes the lease is alone, as long as nobody empties its table, stops a holder's clock or copies it: then
 * only the gate keeps them apart.
 */
function checkAlone({ controllers, emptied, timeline }: Parts, holder: string): void {
  if (timeline.nowMs - emptied.atMs < leaseAgeMs * 2) return;
  const other = [...controllers].find(
    (one) => !one.isFooled && one.process.name !== holder && one.lease?.mayAct() === true,
  );
  demand(other === undefined, "I5", () => `${holder} takes the lease while ${other?.process.name} may act`);
}
