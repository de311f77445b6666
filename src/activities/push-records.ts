import { atStep } from "../core/failpoints.ts";
import type { SealedBox } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { PushResult, Told } from "../core/push.ts";
import type { PushEffects } from "../decide/find-changed.ts";
import type { World } from "../decide/world.ts";
import type { Database, Transaction } from "../store/database.ts";
import { insertDeclarations, type NewDeclaration } from "../store/declarations.ts";
import { withGate } from "../store/gate.ts";
import { listNodesNamed, type NodeRecord } from "../store/nodes.ts";
import { loadWorldFor } from "../store/part-of-world.ts";
import {
  countSentAmong,
  getPushEnd,
  getPushFor,
  listToldAmong,
  type PushEnd,
  type PushForNodes,
  type RoundNodes,
} from "../store/push-batches.ts";
import { insertProvisions, listPushEffects, withdrawProvisions } from "../store/provisions.ts";
import { countTargets, listTargets, recordTargets, type PushTarget } from "../store/push-targets.ts";
import {
  endPush,
  getBaseline,
  getPush,
  listTold,
  openPush,
  recordBaseline,
  recordTold,
  type NewPush,
  type PushRecord,
  type ToldRecord,
} from "../store/pushes.ts";
import { rememberRows, type ReadRows } from "../store/row-memory.ts";
import { insertSealedBoxes, listSealedBoxes, type Recipient } from "../store/sealed-boxes.ts";
import { loadMeshView, type MeshView, type ViewOptions } from "../store/situations.ts";
import { inTransaction } from "../store/transaction.ts";
import { loadWorld } from "../store/world.ts";

/**
 * All that a push reads and writes, of one mesh. An interface, so that the same activities run over PostgreSQL and over
 * the twin that the simulator tries millions of orders on; both pass one contract suite.
 */
export interface PushRecords {
  getPush(push: string): Promise<PushRecord | null>;
  /** With those of these nodes that it named. */
  getPushFor(batch: { readonly push: string; readonly nodes: readonly Name[] }): Promise<PushForNodes | null>;
  openPush(push: NewPush): Promise<boolean>;
  endPush(push: string, result: PushResult): Promise<boolean>;
  recordBaseline(push: string, digests: ReadonlyMap<Name, Digest | null>): Promise<boolean>;
  listTold(push: string): Promise<ToldRecord[]>;
  /** How many of these were sent something in that round. */
  countSentAmong(batch: RoundNodes): Promise<number>;
  recordTargets(round: Round, targets: readonly PushTarget[]): Promise<void>;
  countTargets(round: Round): Promise<number>;
  listTargets(slice: Round & { readonly from: number; readonly count: number }): Promise<PushTarget[]>;
  /** All of it, at one moment. */
  readWorld(): Promise<World>;
  /** Everything that `status` says, at one moment. */
  readView(options: ViewOptions): Promise<MeshView>;
  /** What the next round is decided from, at one moment. Null: no such push, or it has no baseline. */
  readChange(push: string): Promise<PushChange | null>;
  /** The one transaction (R27, R28): DeadEpochError where the epoch is over, and then nothing was written. */
  passGate<T>(
    request: { readonly epoch: number; readonly count: number },
    fn: (gate: GateRecords, numbers: readonly number[]) => Promise<T>,
  ): Promise<T>;
}

export interface Round {
  readonly push: string;
  readonly round: number;
}

export interface PushChange {
  readonly push: PushRecord;
  readonly baseline: ReadonlyMap<Name, Digest | null>;
  readonly told: readonly ToldRecord[];
  readonly world: World;
  readonly effects: PushEffects;
}

/** What happens inside the one transaction. */
export interface GateRecords {
  /** What composing these nodes can read: a part of the world, which throws where it is asked for more. */
  loadWorldFor(nodes: readonly Name[]): Promise<World>;
  /** Those of these that are registered. */
  listNodesNamed(names: readonly Name[]): Promise<NodeRecord[]>;
  withdrawProvisions(withdrawal: { readonly push: string; readonly ids: readonly string[] }): Promise<number>;
  insertProvisions(mint: { readonly push: string; readonly provisions: readonly Provision[] }): Promise<void>;
  insertSealedBoxes(recipient: Recipient, boxes: readonly SealedBox[]): Promise<void>;
  listSealedBoxes(
    recipient: Recipient,
    wanted: readonly { readonly provision: string; readonly version: number }[],
  ): Promise<SealedBox[]>;
  insertDeclarations(sent: readonly NewDeclaration[]): Promise<void>;
  getPushEnd(push: string): Promise<PushEnd | null>;
  /** Who of these was told in that round, whatever became of it. */
  listToldAmong(batch: RoundNodes): Promise<Name[]>;
  recordTold(push: string, told: readonly Told[]): Promise<void>;
}

/** What looks at the whole mesh read stays until the next: a row that nobody changed is the same object again. */
export function createPushRecords(db: Database, mesh: Name): PushRecords {
  const rows = rememberRows();
  return {
    getPush: (push) => getPush(db, mesh, push),
    getPushFor: (batch) => getPushFor(db, mesh, batch),
    openPush: (push) => atStep("push.open", () => openPush(db, mesh, push)),
    endPush: (push, result) => atStep("push.close", () => endPush(db, mesh, push, result)),
    recordBaseline: (push, digests) => atStep("push.baseline", () => recordBaseline(db, mesh, push, digests)),
    listTold: (push) => listTold(db, mesh, push),
    countSentAmong: (batch) => countSentAmong(db, mesh, batch),
    recordTargets: (round, targets) => atStep("push.targets", () => recordTargets(db, mesh, round, targets)),
    countTargets: (round) => countTargets(db, mesh, round),
    listTargets: (slice) => listTargets(db, mesh, slice),
    readWorld: () => readWorld(db, mesh, rows),
    readView: (options) => loadMeshView(db, mesh, options),
    readChange: (push) => readChange({ db, mesh, rows }, push),
    passGate: (request, fn) =>
      withGate(db, { mesh, ...request }, (tx, numbers) => fn(createGateRecords(tx, mesh), numbers)),
  };
}

function readWorld(db: Database, mesh: Name, rows: ReadRows): Promise<World> {
  return inTransaction(db, { isolation: "repeatable read", access: "read only" }, (tx) => loadWorld(tx, mesh, rows));
}

interface RememberedRows {
  readonly db: Database;
  readonly mesh: Name;
  readonly rows: ReadRows;
}

function readChange({ db, mesh, rows }: RememberedRows, id: string): Promise<PushChange | null> {
  return inTransaction(db, { isolation: "repeatable read", access: "read only" }, async (tx) => {
    const push = await getPush(tx, mesh, id);
    const baseline = await getBaseline(tx, mesh, id, rows);
    if (push === null || baseline === null) return null;
    const world = await loadWorld(tx, mesh, rows);
    const told = await listTold(tx, mesh, id, rows);
    return { push, baseline, told, world, effects: await listPushEffects(tx, mesh, id) };
  });
}

function createGateRecords(tx: Transaction, mesh: Name): GateRecords {
  return {
    loadWorldFor: (nodes) => loadWorldFor(tx, mesh, nodes),
    listNodesNamed: (names) => listNodesNamed(tx, mesh, names),
    withdrawProvisions: (withdrawal) => withdrawProvisions(tx, mesh, withdrawal),
    insertProvisions: (mint) => insertProvisions(tx, mesh, mint),
    insertSealedBoxes: (recipient, boxes) => insertSealedBoxes(tx, mesh, recipient, boxes),
    listSealedBoxes: (recipient, wanted) => listSealedBoxes(tx, mesh, recipient, wanted),
    insertDeclarations: (sent) => insertDeclarations(tx, sent),
    getPushEnd: (push) => getPushEnd(tx, mesh, push),
    listToldAmong: (batch) => listToldAmong(tx, mesh, batch),
    recordTold: (push, told) => recordTold(tx, mesh, push, told),
  };
}
