import type { Name } from "../../core/names.ts";
import type { Told } from "../../core/push.ts";
import { findStale } from "../../decide/find-stale.ts";
import { type AccountRecord, listAccountsOf } from "../../store/read-accounts.ts";
import type { Database } from "../../store/database.ts";
import { listSentTo } from "../../store/declarations.ts";
import { listNodesNamed } from "../../store/nodes.ts";
import { readClock } from "../../store/read-clock.ts";
import { countTargets, listTargets, type PushTarget } from "../../store/push-targets.ts";
import { listTold } from "../../store/pushes.ts";
import type { PushedNode } from "../text/push-text.ts";
import { judgeEffect } from "./judge-effect.ts";

export interface PushProgress {
  readonly nodes: readonly PushedNode[];
  /** Nothing more is to be expected of any node it told. */
  readonly final: boolean;
}

/** Every node that a push has looked at so far, with what its host reads back by now. */
export async function readPush(db: Database, mesh: Name, push: string, silentAfterMs: number): Promise<PushProgress> {
  const told = newestOfEach(await listTold(db, mesh, push));
  // Read many times a second: of a large mesh only those that it is about.
  const names = told.map((one) => one.node);
  const read = await listAccountsOf(db, mesh, names);
  const accounts = new Map(read.accounts.map((account) => [account.node, account]));
  const unread = new Map(read.unread.map((one) => [one.node, one]));
  const sent = new Map((await listSentTo(db, mesh, names)).map((one) => [one.node, one]));
  const silent = new Map((await listNodesNamed(db, mesh, names)).map((node) => [node.name, node.silentMs ?? Infinity]));
  const silenceOf = (node: Name): number | null => {
    const ms = silent.get(node) ?? Infinity;
    return ms > silentAfterMs ? ms : null;
  };
  const now = await readClock(db);
  const staleOf = (node: Name): string | null => {
    const account: AccountRecord | undefined = accounts.get(node);
    const unreadable = unread.get(node);
    if (unreadable !== undefined && unreadable.incarnation === sent.get(node)?.incarnation) return unreadable.why;
    // What another machine under this name said tells nothing of this one.
    if (account === undefined || account.incarnation !== sent.get(account.node)?.incarnation) return null;
    const { receivedAt, readBackAt, reverted, report } = account;
    const known = { receivedAt, readBackAt, reverted, readBack: report.readBack };
    return findStale(known, now, silentAfterMs)?.why ?? null;
  };
  let final = true;
  const nodes = told.map((one): PushedNode => {
    const order = orderOf(one) ?? (one.outcome === "already-current" ? (sent.get(one.node)?.order ?? null) : null);
    if (order === null) return { ...one, effect: "not-sent", says: "" };
    const judged = judgeEffect({
      order,
      digest: one.digest,
      sentAt: sent.get(one.node)?.issuedAt ?? null,
      account: accounts.get(one.node) ?? null,
      silentMs: silenceOf(one.node),
      stale: staleOf(one.node),
    });
    final &&= judged.final;
    const { effect, says, pending } = judged;
    return { ...one, ...order, effect, says, ...(pending && { pending }) };
  });
  return { nodes, final };
}

/** Whose turn it would be after so many rounds: whom a push left moving, or a declaration by hand changed and did not tell. */
export async function listLeft(
  db: Database,
  mesh: Name,
  { push, rounds }: { readonly push: string; readonly rounds: number },
): Promise<readonly PushTarget[]> {
  const left = { push, round: rounds };
  return await listTargets(db, mesh, { ...left, from: 0, count: await countTargets(db, mesh, left) });
}

/** A node told in several rounds is judged by what it was told last; it keeps the round in which it came in. */
function newestOfEach(told: readonly Told[]): Told[] {
  const byNode = new Map<Name, Told>();
  for (const one of told) {
    const before = byNode.get(one.node);
    if (before === undefined) byNode.set(one.node, one);
    else if (one.outcome !== "already-current")
      byNode.set(one.node, {
        ...one,
        round: before.round,
        why: before.why === one.why ? one.why : `${before.why}; then ${one.why}`,
      });
  }
  return [...byNode.values()];
}

function orderOf(told: Told): { epoch: number; number: number } | null {
  return told.outcome === "sent" && told.epoch !== null && told.number !== null
    ? { epoch: told.epoch, number: told.number }
    : null;
}
