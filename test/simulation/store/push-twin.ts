import type { GateRecords, PushRecords } from "../../../src/activities/push-records.ts";
import type { Provision } from "../../../src/core/provision.ts";
import { DeadEpochError, StoppedError, UnavailableError } from "../../../src/core/errors.ts";
import type { Process } from "../timeline.ts";
import type { Backend, OpenTransaction } from "./backend.ts";
import { createGateTwin } from "./gate-twin.ts";
import { viewLazily } from "./view-lazily.ts";
import type { Road } from "./road.ts";
import { type Draft, type KeptProvision, put, type Records, worldOf } from "./state.ts";

export function createPushTwin(backend: Backend, road: Road, process: Process): PushRecords {
  return {
    passGate: (request, fn) => passGate({ backend, road, process }, request, fn),
    getPush: (id) => road.call(() => backend.records.pushes.get(id) ?? null),
    getPushFor: ({ push: id, nodes }) =>
      road.call(() => {
        const found = backend.records.pushes.get(id);
        if (found === undefined) return null;
        return { id, kind: found.kind, named: found.named.filter((name) => nodes.includes(name)) };
      }),
    openPush: (one) =>
      road.write((draft) => {
        if (draft.pushes.has(one.id)) return false;
        const confirmRemoval = one.confirmRemoval ?? false;
        const unset = { baselineAt: null, endedAt: null, result: null };
        const record = { ...one, confirmRemoval, openedAt: backend.nowIso(), ...unset };
        draft.pushes = put(draft.pushes, one.id, record);
        return true;
      }),
    endPush: (id, result) =>
      road.write((draft) => {
        const known = draft.pushes.get(id);
        if (known === undefined || known.endedAt !== null) return false;
        draft.pushes = put(draft.pushes, id, { ...known, endedAt: backend.nowIso(), result });
        if (draft.baselines.has(id)) draft.baselines = put(draft.baselines, id, new Map());
        return true;
      }),
    recordBaseline: (id, digests) =>
      road.write((draft) => {
        const known = draft.pushes.get(id);
        if (known === undefined || known.baselineAt !== null || known.endedAt !== null) return false;
        draft.pushes = put(draft.pushes, id, { ...known, baselineAt: backend.nowIso() });
        draft.baselines = put(draft.baselines, id, new Map(digests));
        return true;
      }),
    listTold: (id) => road.call(() => [...(backend.records.told.get(id) ?? [])]),
    countSentAmong: ({ push: id, round, nodes }) =>
      road.call(
        () =>
          (backend.records.told.get(id) ?? []).filter(
            (one) => one.round === round && one.outcome === "sent" && nodes.includes(one.node),
          ).length,
      ),
    recordTargets: ({ push: id, round }, targets) =>
      road.write((draft) => {
        if (targets.length === 0) return;
        if (!draft.pushes.has(id)) throw new Error(`foreign key: targets of ${id}, which is not there`);
        if (!draft.targets.has(`${id}#${round}`)) draft.targets = put(draft.targets, `${id}#${round}`, [...targets]);
      }),
    countTargets: ({ push: id, round }) => road.call(() => backend.records.targets.get(`${id}#${round}`)?.length ?? 0),
    listTargets: ({ push: id, round, from, count }) =>
      road.call(() => (backend.records.targets.get(`${id}#${round}`) ?? []).slice(from, from + count)),
    readWorld: () => road.call(() => worldOf(backend.records)),
    readView: (options) => road.call(() => viewLazily(backend.records, options)),
    readChange: (id) =>
      road.call(() => {
        const found = backend.records.pushes.get(id);
        const baseline = backend.records.baselines.get(id);
        if (found === undefined || baseline === undefined) return null;
        const world = worldOf(backend.records);
        const effects = {
          minted: listSorted(backend.records, (one) => one.mintedBy === id),
          withdrawn: listSorted(backend.records, (one) => one.withdrawnBy === id),
        };
        const change = { push: found, baseline, told: backend.records.told.get(id) ?? [], world, effects };
        backend.onChangeRead(change);
        return change;
      }),
  };
}

/** By id and version. */
function listSorted({ provisions }: Records, isWanted: (one: KeptProvision) => boolean): Provision[] {
  return provisions
    .flatMap((one) => (isWanted(one) ? [one.provision] : []))
    .toSorted((a, b) => (a.id === b.id ? a.version - b.version : a.id < b.id ? -1 : 1));
}

interface Parts {
  readonly backend: Backend;
  readonly road: Road;
  readonly process: Process;
}

type Work<T> = (gate: GateRecords, numbers: readonly number[]) => Promise<T>;

async function passGate<T>(
  parts: Parts,
  request: { readonly epoch: number; readonly count: number },
  fn: Work<T>,
): Promise<T> {
  const { backend, road } = parts;
  const answered = await road.throughGate((transaction) => transact(parts, request, transaction, fn));
  await road.back();
  if (answered.kind === "stopped") throw new StoppedError(`mesh ${backend.records.mesh} is stopped`);
  if (answered.kind === "dead") throw new DeadEpochError(backend.records.mesh, request.epoch);
  if (answered.fault === "answer-lost") throw new UnavailableError("the connection broke after COMMIT was sent");
  return answered.value;
}

/** Number, reads, writes and commit, while the gate is held. */
async function transact<T>(
  { backend, road, process }: Parts,
  { epoch, count }: { readonly epoch: number; readonly count: number },
  transaction: OpenTransaction,
  fn: Work<T>,
) {
  const before = backend.records;
  const takenAt = backend.tick();
  const takenMs = backend.nowMs();
  if (before.epoch !== epoch || epoch === 0) return { kind: "dead" } as const;
  if (before.stop !== null) return { kind: "stopped" } as const;
  const draft: Draft = { ...before, number: before.number + count };
  const numbers = Array.from({ length: count }, (_, at) => before.number + 1 + at);
  let readAt = takenAt;
  // now() is one moment for all of a transaction.
  const now = backend.nowIso();
  const statement = <R>(act: () => R): Promise<R> => road.statement(transaction, act);
  const onRead = (): void => {
    readAt = backend.tick();
  };
  await road.back();
  const value = await fn(createGateTwin({ draft, statement, nowIso: () => now, onRead }), numbers);
  const fault = road.faults.call();
  transaction.hasSentCommit = true;
  await road.there();
  if (transaction.isAborted || fault === "refused") throw new UnavailableError("the commit was refused");
  // What others wrote beside the gate is not the gate's: people and accounts are not undone by a push.
  const after = merge(backend.records, before, draft);
  backend.records = after;
  const committedAt = backend.tick();
  const times = { takenMs, takenAt, readAt, committedAt, nowMs: backend.nowMs() };
  backend.onCommit({
    by: process.name,
    epoch,
    numbers,
    ...times,
    before,
    after,
    view: { ...draft },
    wish: before.wish,
  });
  for (const [node, list] of draft.declarations)
    if (list !== before.declarations.get(node)) backend.onDeclaration(node);
  return { kind: "committed", value, fault } as const;
}

/** What the transaction wrote, over what others wrote meanwhile. Only the gate writes what it writes. */
function merge(now: Records, before: Records, draft: Draft): Records {
  if (now === before) return { ...draft };
  const told = new Map(now.told);
  for (const [push, rows] of draft.told) if (rows !== before.told.get(push)) told.set(push, rows);
  return {
    ...now,
    number: draft.number,
    provisions: mergeProvisions(now, before, draft),
    boxes: draft.boxes,
    declarations: draft.declarations,
    told,
  };
}

/** A confirmation that came meanwhile touches rows that this transaction did not write. */
function mergeProvisions(now: Records, before: Records, draft: Draft): Records["provisions"] {
  if (now.provisions === before.provisions) return draft.provisions;
  const confirmed = new Map(
    now.provisions.map((one) => [`${one.provision.id}#${one.provision.version}`, one] as const),
  );
  return draft.provisions.map((one) => {
    const other = confirmed.get(`${one.provision.id}#${one.provision.version}`);
    return other?.provision.state === "withdrawn" ? other : one;
  });
}
