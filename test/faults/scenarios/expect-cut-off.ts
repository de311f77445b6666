import type { Order } from "../../../src/core/declaration.ts";
import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import { waitFor } from "../../beds/support/wait-for.ts";
import { readJournal } from "../history/read-journal.ts";
import type { FaultBed } from "../mesh/bed.ts";
import type { Way } from "../mesh/network.ts";
import type { PushUnderWay } from "../mesh/workload.ts";

/** What is known of a node that is cut off, while it is. */
export interface CutOff {
  readonly node: string;
  readonly way: Way;
  /** The first that it was told since. */
  readonly told: Order;
  /** What its account says; null: nothing. */
  readonly account: Order | null;
  /** What its own journal has. */
  readonly journal: readonly Order[];
}

/** What came through a cut, as a sentence; null: nothing did. */
export function sayPassed({ node, way, told, account, journal }: CutOff): string | null {
  const isNews = (order: Order): boolean => compareOrder(order, told) >= 0;
  const arrived = journal.find(isNews);
  // What was asked for before the cut may still arrive where only answers to it are lost.
  if (way !== "from" && arrived !== undefined)
    return `${node} is cut off (${way}), and its journal has ${describeOrder(arrived)}, of which it was told after the cut`;
  if (way !== "to" && account !== null && isNews(account))
    return `${node} is cut off (${way}), and its account has ${describeOrder(account)}, of which it was told after the cut`;
  return null;
}

/**
 * Once another machine has applied what the newest push told it, a machine without the cut would have applied what the
 * push before told it. Fails where nothing was told, or something came through.
 */
export async function expectCutOff(
  bed: FaultBed,
  cut: { readonly node: string; readonly way: Way; readonly other: string },
  pushes: { readonly first: PushUnderWay; readonly newest: PushUnderWay },
): Promise<void> {
  const { node, way, other } = cut;
  await waitFor(
    `${other} has applied what it was told`,
    async () => {
      const [sent] = await readSends(bed, pushes.newest, other);
      const account = await readAccount(bed, other);
      return sent !== undefined && account !== null && compareOrder(account, sent) >= 0 ? true : null;
    },
    60_000,
  );
  const [told] = await readSends(bed, pushes.first, node);
  if (told === undefined) throw new Error(`push ${pushes.first.id} told ${node} nothing: the cut was of nothing`);
  const account = await readAccount(bed, node);
  const journal = await readJournal(node, bed.hosts.logFile(node));
  const passed = sayPassed({ node, way, told, account, journal });
  if (passed !== null) throw new Error(passed);
}

/** The first one is first. */
async function readSends(bed: FaultBed, { id }: PushUnderWay, node: string): Promise<readonly Order[]> {
  return await bed.read<Order>(
    `select epoch::int, number::int from declaration where push = '${id}' and node = '${node}' order by epoch, number`,
  );
}

/** Of what it applied. */
async function readAccount(bed: FaultBed, node: string): Promise<Order | null> {
  const [account] = await bed.read<Order>(
    `select coalesce(epoch, 0)::int as epoch, coalesce(number, 0)::int as number from account
      where node = '${node}' and outcome = 'applied'`,
  );
  return account ?? null;
}
