import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import type { History, Send } from "../history/history.ts";
import { checkAnswers } from "./check-answers.ts";
import { checkAccounts, checkJournals } from "./check-journals.ts";
import { checkMachines } from "./check-machines.ts";
import { checkPushes } from "./check-pushes.ts";
import { type Check, keyOf } from "./violation.ts";

/**
 * The promises of docs/guarantees.md, over what was recorded of real processes. The names are those of the simulator's
 * checks; what those ask of a virtual moment, these ask of the order of commits.
 */
export function checkHistory(history: History): Check[] {
  return [
    ...checkGrants(history),
    ...checkSends(history),
    ...checkRecords(history),
    ...checkJournals(history),
    ...checkAccounts(history),
    ...checkPushes(history),
    ...checkAnswers(history),
    ...checkMachines(history),
  ];
}

/** I2: epochs rise, in the order in which they were granted. */
function checkGrants({ grants }: History): Check[] {
  return grants.flatMap((grant, at) => {
    const highest = Math.max(0, ...grants.slice(0, at).map(({ epoch }) => epoch));
    if (grant.epoch > highest) return [];
    return [{ invariant: "I2", message: `${grant.holder} is granted epoch ${grant.epoch} after ${highest}` }];
  });
}

/** I3, I5, I7, I14 and I15, at each commit of a send. */
function checkSends({ sends, grants }: History): Check[] {
  const found: Check[] = [];
  const seen = new Map<string, Send>();
  const lastOf = new Map<string, Send>();
  const [fresh] = sends;
  sends.forEach((send, at) => {
    const key = describeOrder(send);
    const other = seen.get(key);
    if (other !== undefined)
      found.push({ invariant: "I3", message: `${key} was given to ${other.node} and to ${send.node}` });
    seen.set(key, send);
    found.push(...checkEpoch(send, grants));
    const before = sends[at - 1];
    if (before !== undefined && compareOrder(send, before) <= 0) {
      const message = `${key} to ${send.node} was committed after ${describeOrder(before)}, and is lower`;
      found.push({ invariant: "I7", message });
    }
    const last = lastOf.get(`${send.node} ${send.incarnation}`);
    if (last?.digest === send.digest)
      found.push({ invariant: "I14", message: `${send.node} is sent ${send.digest} again, as ${key}` });
    lastOf.set(`${send.node} ${send.incarnation}`, send);
    if (send.freshMs <= 0 || send.freshMs !== fresh?.freshMs)
      found.push({ invariant: "I15", message: `${key} is fresh for ${send.freshMs} ms, others for ${fresh?.freshMs}` });
  });
  return found;
}

/** I5: what is committed is committed after its epoch was granted, and before another one was. */
function checkEpoch(send: Send, grants: History["grants"]): Check[] {
  const key = describeOrder(send);
  const own = grants.find(({ epoch }) => epoch === send.epoch);
  if (own === undefined)
    return [{ invariant: "I5", message: `${key} was sent under an epoch that nobody was granted` }];
  if (own.committedAt > send.committedAt)
    return [{ invariant: "I5", message: `${key} was committed before epoch ${send.epoch} was granted` }];
  const newer = grants.find(({ epoch, committedAt }) => epoch > send.epoch && committedAt < send.committedAt);
  if (newer === undefined) return [];
  const message = `${key} to ${send.node} was committed under epoch ${send.epoch}, after ${newer.epoch} was granted to ${newer.holder}`;
  return [{ invariant: "I5", message }];
}

/** I6: the mailbox and the record of the send are one; one send a node in each round of a push. */
function checkRecords({ sends, told }: History): Check[] {
  const found: Check[] = [];
  const recorded = new Map(told.map((one) => [keyOf(one), one]));
  const sentIn = new Map<string, Send>();
  for (const send of sends) {
    const record = recorded.get(keyOf(send));
    const same = record?.epoch === send.epoch && record.number === send.number && record.digest === send.digest;
    if (record?.outcome !== "sent" || !same) {
      const said = record === undefined ? "nothing" : `${record.outcome} ${record.epoch}.${record.number}`;
      const message = `${describeOrder(send)} is in the mailbox of ${send.node}, and push ${send.push} records ${said}`;
      found.push({ invariant: "I6", message });
    }
    const twice = sentIn.get(keyOf(send));
    if (twice !== undefined) {
      const message = `${send.push} sent ${send.node} ${describeOrder(twice)} and ${describeOrder(send)} in round ${send.round}`;
      found.push({ invariant: "I14", message });
    }
    sentIn.set(keyOf(send), send);
  }
  for (const one of told)
    if (one.outcome === "sent" && !sentIn.has(keyOf(one))) {
      const message = `push ${one.push} records that ${one.node} was sent ${one.epoch}.${one.number}, which is in no mailbox`;
      found.push({ invariant: "I6", message });
    }
  return found;
}
