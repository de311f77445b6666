import type { PushRecords } from "../../../src/activities/push-records.ts";
import type { Provision } from "../../../src/core/provision.ts";
import type { Report } from "../../../src/core/report.ts";
import type { FailureTrack } from "../../../src/decide/track-failures.ts";
import type { Process, Timeline } from "../timeline.ts";
import { createGate, type Gate } from "./lock.ts";
import type { Draft, Records } from "./state.ts";

/** Virtual time begins here, so that timestamps are ones. */
export const epochStartMs = Date.UTC(2026, 0, 1);

/** What the checks see of each commit through the gate. */
export interface GateCommit {
  readonly by: string;
  readonly epoch: number;
  readonly numbers: readonly number[];
  /** When the gate was held, when its last read ended, when it was committed: counted in commits of anybody. */
  readonly takenAt: number;
  readonly readAt: number;
  readonly committedAt: number;
  /** In virtual time: when the gate was held, and the commit. */
  readonly takenMs: number;
  readonly nowMs: number;
  readonly before: Records;
  readonly after: Records;
  /** What the transaction saw at its end: the moment of its number, with its own writes. */
  readonly view: Records;
  /** `wish` of what was read. */
  readonly wish: number;
}

/** What the checks are told of. */
export interface Hooks {
  onCommit: (commit: GateCommit) => void;
  /** What was read in from a backup. */
  onRestore: (records: Records) => void;
  onGrant: (grant: { readonly epoch: number; readonly holder: string }) => void;
  onDeclaration: (node: string) => void;
  /** Records were pruned. */
  onPrune: (before: Records, after: Records) => void;
  /** A report became its node's account. */
  onKept: (kept: KeptReport) => void;
  /** A report reached the records, and what became of it. */
  onReported: (report: Report, decision: ReportAnswered, before: Records, after: Records) => void;
  /** A host is said to have gone back. */
  onReverted: (report: Report, why: string) => void;
  /** A declaration that a host refused is said to be another writer's. */
  onSecondWriter: (why: string) => void;
  /** A push looks whom it changed. */
  onChangeRead: (change: ChangeRead) => void;
  /** The provider's host said that it is gone. */
  onWithdrawn: (provision: Provision) => void;
}

export type ReportAnswered = "kept" | "duplicate" | "older" | "refused";

export type ChangeRead = NonNullable<Awaited<ReturnType<PushRecords["readChange"]>>>;

export interface KeptReport {
  readonly report: Report;
  readonly track: FailureTrack;
  /** Of the node as enrolled then. */
  readonly enrolled: string | null;
}

export interface OpenTransaction {
  readonly process: Process;
  isAborted: boolean;
  hasSentCommit: boolean;
  release: () => void;
}

/** PostgreSQL's own side: one value, one gate, and the transactions in flight. */
export interface Backend extends Hooks {
  records: Records;
  /** Counts every moment that checks compare. */
  moment: number;
  readonly open: Set<OpenTransaction>;
  readonly gate: Gate;
  isDown(): boolean;
  nowIso(): string;
  nowMs(): number;
  tick(): number;
  /** People and builds write without the gate. */
  edit(change: (draft: Draft) => void): void;
  /** Takes what was there at another time: emptied tables, an old backup. */
  replace(change: (records: Records) => Records): void;
  /** As `replace`, with what a backup holds; what people wish for now is that. */
  restore(backup: Records): void;
  /** Every transaction in flight ends without a trace; nobody is answered until `forMs` are over. */
  restart(forMs: number): void;
  /** A killed process: what it did not send to COMMIT is rolled back. */
  disconnect(process: Process): void;
}

export function createBackend(timeline: Timeline, first: Records): Backend {
  let downUntilMs = 0;
  let said = { atMs: Number.NaN, iso: "" };
  const abort = (transaction: OpenTransaction): void => {
    transaction.isAborted = true;
    transaction.release();
  };
  const backend: Backend = {
    records: first,
    moment: 0,
    open: new Set(),
    gate: createGate(timeline),
    isDown: () => timeline.nowMs < downUntilMs,
    nowIso() {
      if (said.atMs !== timeline.nowMs)
        said = { atMs: timeline.nowMs, iso: new Date(epochStartMs + timeline.nowMs).toISOString() };
      return said.iso;
    },
    nowMs: () => timeline.nowMs,
    tick: () => (backend.moment += 1),
    edit(change) {
      const draft: Draft = { ...backend.records, wish: backend.records.wish + 1 };
      change(draft);
      backend.records = draft;
      backend.tick();
    },
    replace(change) {
      for (const transaction of backend.open) abort(transaction);
      backend.records = change(backend.records);
      backend.tick();
    },
    restore(backup) {
      backend.replace(({ wish }) => ({ ...backup, wish: wish + 1 }));
      backend.onRestore(backend.records);
    },
    restart(forMs) {
      downUntilMs = timeline.nowMs + forMs;
      for (const transaction of backend.open) abort(transaction);
    },
    disconnect(process) {
      for (const transaction of backend.open)
        if (transaction.process === process && !transaction.hasSentCommit) abort(transaction);
    },
    onCommit: () => undefined,
    onRestore: () => undefined,
    onGrant: () => undefined,
    onDeclaration: () => undefined,
    onPrune: () => undefined,
    onKept: () => undefined,
    onChangeRead: () => undefined,
    onReported: () => undefined,
    onReverted: () => undefined,
    onSecondWriter: () => undefined,
    onWithdrawn: () => undefined,
  };
  return backend;
}
