import type { PruneRecords } from "../../../src/activities/prune-records.ts";
import { DeadEpochError, StoppedError } from "../../../src/core/errors.ts";
import type { PastRecord, PrunedKind } from "../../../src/decide/plan-prune.ts";
import { compareOrder } from "../../../src/decide/order.ts";
import type { PruneBatch, PruneFrom, PruneKey } from "../../../src/store/prune/prune-table.ts";
import { remember } from "../platform/remember.ts";
import type { Backend } from "./backend.ts";
import type { Road } from "./road.ts";
import { type Draft, type KeptDeclaration, put, type Records } from "./state.ts";

/** What the simulator's records hold of what is pruned. */
const kinds = ["declarations", "told", "targets", "pushes"] as const;
type TwinKind = (typeof kinds)[number];

function asTwinKind(kind: PrunedKind): TwinKind {
  const found = kinds.find((one) => one === kind);
  if (found === undefined) throw new Error(`the twin has no ${kind}`);
  return found;
}

/** All of a kind is one batch. */
export function createPruneTwin(backend: Backend, road: Road): PruneRecords {
  const read = (records: Records, kind: PrunedKind, from: PruneFrom): PruneBatch => ({
    records: listPast(records, asTwinKind(kind), from, backend.nowIso()),
    next: null,
  });
  return {
    kinds,
    read: (kind, from) => road.call(() => read(backend.records, kind, from)),
    prune: (kind, { epoch, from, choose }) =>
      road.throughGate(() =>
        road.write((draft) => {
          if (draft.epoch !== epoch) throw new DeadEpochError(draft.mesh, epoch);
          if (draft.stop !== null) throw new StoppedError(`mesh ${draft.mesh} is stopped`);
          const before = { ...draft };
          const keys = choose(read(before, kind, from));
          const gone = remove(draft, asTwinKind(kind), keys);
          if (gone > 0) backend.onPrune(before, { ...draft });
          return gone;
        }),
      ),
  };
}

function listPast(records: Records, kind: TwinKind, { bounds }: PruneFrom, now: string): PruneBatch["records"] {
  const nowMs = timeOf(now);
  const since = (then: string | null | undefined): number | null =>
    then === null || then === undefined ? null : Math.max(0, nowMs - timeOf(then));
  const endOf = (push: string): number | null => since(records.pushes.get(push)?.endedAt);
  switch (kind) {
    case "declarations":
      return [...records.nodes.values()].flatMap(({ name, incarnation: enrolled }) => {
        const oldestFirst = sortedSends(records.declarations.get(name) ?? []);
        const account = records.accounts.get(name);
        return oldestFirst.map(({ sent }, at) => ({
          key: { node: name, ...sent.order },
          record: {
            kind: "declarations",
            ageMs: since(sent.issuedAt) ?? 0,
            order: sent.order,
            incarnation: sent.incarnation,
            enrolled,
            isAmongLast: at >= oldestFirst.length - bounds.last,
            account:
              account === undefined
                ? null
                : { incarnation: account.incarnation, order: account.has ?? { epoch: 0, number: 0 } },
            claim: records.claims.get(name)?.order ?? null,
            isOpen: records.pushes.has(sent.push) && endOf(sent.push) === null,
          } satisfies PastRecord,
        }));
      });
    case "told": {
      const last = listLastTold(records);
      return listEnded(records).flatMap(({ id }) =>
        (records.told.get(id) ?? []).map(({ round, node, epoch, number, at }) => ({
          key: { push: id, round, node },
          record: {
            kind: "told",
            ageMs: endOf(id),
            hasDeclaration: (records.declarations.get(node) ?? []).some(
              ({ sent }) => sent.order.epoch === epoch && sent.order.number === number,
            ),
            isLast: last.get(node) === `${at} ${round}`,
          } satisfies PastRecord,
        })),
      );
    }
    case "targets":
      return [...records.targets].flatMap(([name, targets]) => {
        const [push = "", round = ""] = name.split("#");
        if (endOf(push) === null) return [];
        return targets.map(({ node }) => ({
          key: { push, round: Number(round), node },
          record: { kind: "targets", ageMs: endOf(push) } satisfies PastRecord,
        }));
      });
    case "pushes": {
      const newestFirst = listPushes(records).toReversed();
      const last = newestFirst[bounds.last - 1]?.openedAt ?? "";
      const targeted = new Set(
        [...records.targets].flatMap(([name, one]) => (one.length > 0 ? [name.slice(0, name.indexOf("#"))] : [])),
      );
      return newestFirst.toReversed().map(({ id, openedAt }) => ({
        key: { push: id },
        record: {
          kind: "pushes",
          ageMs: endOf(id),
          isAmongLast: openedAt >= last,
          hasTold: (records.told.get(id) ?? []).length > 0,
          hasTargets: targeted.has(id),
        } satisfies PastRecord,
      }));
    }
  }
}

/** By node: when the last push told it, and in which round. */
function listLastTold({ told }: Records): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const { node, at, round } of [...told.values()].flat()) {
    const place = `${at} ${round}`;
    if (place > (last.get(node) ?? "")) last.set(node, place);
  }
  return last;
}

const sortedSends = remember((list: readonly KeptDeclaration[]) =>
  list.toSorted((a, b) => compareOrder(a.sent.order, b.sent.order)),
);

type PushRow = Records["pushes"] extends ReadonlyMap<string, infer T> ? T : never;

const sortedPushes = remember((pushes: Records["pushes"]) =>
  [...pushes.values()].toSorted((a, b) =>
    a.openedAt === b.openedAt ? (a.id < b.id ? -1 : 1) : a.openedAt < b.openedAt ? -1 : 1,
  ),
);

function listPushes({ pushes }: Records): readonly PushRow[] {
  return sortedPushes(pushes);
}

/** What became of others is not read at all. */
function listEnded(records: Records): ReturnType<typeof listPushes> {
  return listPushes(records).filter(({ endedAt }) => endedAt !== null);
}

function remove(draft: Draft, kind: TwinKind, keys: readonly PruneKey[]): number {
  const named = new Set(keys.map(nameOf));
  let count = 0;
  const goes = (key: PruneKey): boolean => {
    if (!named.has(nameOf(key))) return false;
    count += 1;
    return true;
  };
  if (named.size === 0) return 0;
  switch (kind) {
    case "declarations":
      for (const [node, list] of draft.declarations) {
        const gone = list.filter(({ sent }) => goes({ node, ...sent.order }));
        if (gone.length === 0) continue;
        draft.declarations = put(
          draft.declarations,
          node,
          list.filter((one) => !gone.includes(one)),
        );
        note(draft, node, gone);
      }
      return count;
    case "told":
      draft.told = new Map(
        [...draft.told].map(([push, list]) => [push, list.filter(({ round, node }) => !goes({ push, round, node }))]),
      );
      return count;
    case "targets":
      draft.targets = new Map(
        [...draft.targets].flatMap(([name, targets]) => {
          const [push = "", round = ""] = name.split("#");
          const kept = targets.filter(({ node }) => !goes({ push, round: Number(round), node }));
          return kept.length === 0 ? [] : [[name, kept] as const];
        }),
      );
      return count;
    case "pushes":
      draft.pushes = new Map([...draft.pushes].filter(([push]) => !goes({ push })));
      // As the foreign key's cascade.
      draft.baselines = new Map([...draft.baselines].filter(([push]) => draft.pushes.has(push)));
      return count;
  }
}

function note(draft: Draft, node: string, gone: readonly KeptDeclaration[]): void {
  for (const { sent } of gone) {
    const known = draft.pruned.get(node);
    if (known === undefined || compareOrder(known, sent.order) < 0) draft.pruned = put(draft.pruned, node, sent.order);
  }
}

/** All that any kind is told apart by. */
function nameOf({ push, round, node, epoch, number }: PruneKey): string {
  return `${push} ${round} ${node} ${epoch}.${number}`;
}

const times = new Map<string, number>();
const timesKept = 20_000;

/** Every run has the same moments: reading each text once is most of what a look costs otherwise. */
function timeOf(iso: string): number {
  const known = times.get(iso);
  if (known !== undefined) return known;
  if (times.size >= timesKept) times.clear();
  const ms = Date.parse(iso);
  times.set(iso, ms);
  return ms;
}
