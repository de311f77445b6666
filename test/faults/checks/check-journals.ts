import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import type { Account, History, JournalLine } from "../history/history.ts";
import type { Check } from "./violation.ts";

/** I1, I4 and I6, by what each host wrote itself. */
export function checkJournals({ journal, sends }: History): Check[] {
  const found: Check[] = [];
  const mail = new Map(sends.map((send) => [describeOrder(send), send]));
  const lastOf = new Map<string, JournalLine>();
  for (const line of journal) {
    const key = describeOrder(line);
    const send = mail.get(key);
    const what = line.what === "accepted" ? "accepts" : "applies";
    if (send === undefined || send.digest !== line.digest)
      found.push({ invariant: "I6", message: `${line.node} ${what} ${key}, which nobody committed so` });
    else if (send.node !== line.node || send.incarnation !== line.incarnation)
      found.push({ invariant: "I4", message: `${line.node} ${what} ${key}, which is for ${send.node}` });
    const host = `${line.node} ${line.incarnation}`;
    const last = lastOf.get(host);
    if (last !== undefined && isBack(line, last))
      found.push({ invariant: "I1", message: `${line.node} ${what} ${key} after ${describeOrder(last)}` });
    lastOf.set(host, line);
  }
  return found;
}

/** The same again is a new start of the host, which goes by what it has; other content under it is not the same. */
function isBack(line: JournalLine, last: JournalLine): boolean {
  const place = compareOrder(line, last);
  return place < 0 || (place === 0 && line.digest !== last.digest);
}

/** I10: the account of a host only moves on. */
export function checkAccounts({ accounts }: History): Check[] {
  const lastOf = new Map<string, Account>();
  return accounts.flatMap((account): Check[] => {
    const host = `${account.node} ${account.incarnation}`;
    const last = lastOf.get(host);
    lastOf.set(host, account);
    if (last === undefined || compareAccounts(account, last) >= 0) return [];
    const message = `the account of ${account.node} went from report ${last.boot}.${last.sequence} of ${describeOrder(last)} to ${account.boot}.${account.sequence} of ${describeOrder(account)}`;
    return [{ invariant: "I10", message }];
  });
}

function compareAccounts(a: Account, b: Account): number {
  return compareOrder(a, b) || a.boot - b.boot || a.sequence - b.sequence;
}
