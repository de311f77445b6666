import { setTimeout as sleep } from "node:timers/promises";
import { UnavailableError } from "../core/errors.ts";
import {
  type ClockReading,
  type ExpectedBeats,
  isSameLease,
  leaseDeadline,
  mayAct as isBefore,
  mayTakeLease,
  type Renewal,
} from "../decide/lease.ts";

/**
 * Holds the mesh's lease for this process (R34, R36). Safety is the gate's and the hosts' fence; the lease makes fights
 * rare. Times in the record are never compared with this process's clock: a candidate watches whether the record moves.
 */
export interface LeaseRecord {
  readonly holder: string | null;
  readonly epoch: number;
  readonly ageMs: number;
  readonly beat: number;
  /** By the records' clock: to be said, never compared. */
  readonly takenAt?: string;
}

export interface LeaseStore {
  read(): Promise<LeaseRecord | null>;
  /** Compare-and-set against the record last seen; the new epoch and the record's beat, or null when it moved. */
  take(seen: LeaseRecord | null): Promise<{ readonly epoch: number; readonly beat: number } | null>;
  renew(epoch: number, beats: ExpectedBeats): Promise<Renewal>;
  release(epoch: number): Promise<boolean>;
}

export interface LeaseClock {
  monotonicMs(): number;
  wallMs(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Lease {
  readonly epoch: number;
  /** Checked inline before each act: false once either clock says that the lease may have run out. */
  mayAct(): boolean;
  /** Ends renewals and gives the lease back; call it only after guarded work has ended. */
  release(): Promise<void>;
}

const renewEveryMs = 5_000;
export const lookEveryMs = 500;

/**
 * Waits until the lease is free or has not moved for its whole age, as seen by this process, and takes it. `onWaiting`
 * is told who holds it, and again whenever that changes. Acting without a lease (R39) cannot arise: the lease is a row
 * of the records, so who cannot write it cannot write a declaration either (docs/decisions/0020).
 */
export async function acquireLease(store: LeaseStore, clock: LeaseClock, options: AcquireLease): Promise<Lease> {
  let seen: LeaseRecord | null = null;
  let seenAtMs = clock.monotonicMs();
  let said: string | null = null;
  const askFor = createAsking(options);
  for (;;) {
    options.signal.throwIfAborted();
    const record = await askFor(() => store.read());
    if (record === noAnswer) {
      await clock.sleep(lookEveryMs, options.signal);
      continue;
    }
    if (!isSameLease(record, seen)) {
      seen = record;
      seenAtMs = clock.monotonicMs();
    }
    if (mayTakeLease(record, clock.monotonicMs() - seenAtMs)) {
      const askedAt = readClock(clock);
      const taken = await askFor(() => store.take(record));
      // Whether it was taken is not known then: the record says so, and it is somebody else's until its age is over.
      if (taken !== null && taken !== noAnswer) return keepLease(store, clock, taken, askedAt, options.onLost);
    } else if (record !== null && said !== describeHolder(record)) {
      said = describeHolder(record);
      options.onWaiting(record);
    }
    await clock.sleep(lookEveryMs, options.signal);
  }
}

export interface AcquireLease {
  readonly signal: AbortSignal;
  readonly onWaiting: (record: LeaseRecord) => void;
  readonly onLost: (why: string) => void;
  /**
   * The records gave no answer, and are asked again: who stands by outlives them (case 42). A record that did not move
   * meanwhile was not renewed meanwhile either, so its age runs on. Told once, until they answer again. Left out: it ends the
   * waiting.
   */
  readonly onUnanswered?: (error: UnavailableError) => void;
}

const noAnswer = Symbol("no answer");

function createAsking({ onUnanswered }: AcquireLease): <T>(ask: () => Promise<T>) => Promise<T | typeof noAnswer> {
  let isSaid = false;
  return async (ask) => {
    try {
      const answer = await ask();
      isSaid = false;
      return answer;
    } catch (error) {
      if (!(error instanceof UnavailableError) || onUnanswered === undefined) throw error;
      if (!isSaid) onUnanswered(error);
      isSaid = true;
      return noAnswer;
    }
  };
}

function describeHolder({ holder, epoch }: LeaseRecord): string {
  return `${holder} ${epoch}`;
}

function readClock(clock: LeaseClock): ClockReading {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

function keepLease(
  store: LeaseStore,
  clock: LeaseClock,
  { epoch, beat }: { readonly epoch: number; readonly beat: number },
  askedAt: ClockReading,
  onLost: (why: string) => void,
): Lease {
  const ended = new AbortController();
  let deadline = leaseDeadline(askedAt);
  let lost = false;
  const mayAct = (): boolean => !lost && isBefore(deadline, readClock(clock));
  const lose = (why: string): void => {
    if (lost || ended.signal.aborted) return;
    lost = true;
    onLost(why);
  };

  const renewLoop = async (): Promise<void> => {
    let beats: ExpectedBeats = { least: beat, most: beat };
    for (;;) {
      await clock.sleep(renewEveryMs, ended.signal);
      if (!mayAct()) return lose("the lease ran out before it could be renewed");
      const before = readClock(clock);
      const renewed = await renewOnce({ store, epoch, beats, clock }, () => deadline.monotonicMs - clock.monotonicMs());
      if (typeof renewed === "string") return lose(renewed);
      beats = renewed;
      if (!mayAct()) return lose("the renewal was answered after the lease had run out");
      deadline = leaseDeadline(before);
    }
  };
  renewLoop().catch((error: unknown) => {
    if (!ended.signal.aborted) lose(`renewing the lease failed: ${String(error)}`);
  });

  return {
    epoch,
    mayAct,
    async release() {
      ended.abort();
      if (!lost) await store.release(epoch);
    },
  };
}

/**
 * A store that does not answer is asked again until the deadline; a refusal is final at once. The beats to expect next: what
 * was not answered may have been done, or may be done still.
 */
async function renewOnce(
  { store, epoch, beats, clock }: { store: LeaseStore; epoch: number; beats: ExpectedBeats; clock: LeaseClock },
  leftMs: () => number,
): Promise<ExpectedBeats | string> {
  let unanswered = 0;
  for (;;) {
    try {
      const renewal = await store.renew(epoch, { least: beats.least, most: beats.most + unanswered });
      if (renewal.kind === "renewed") return { least: renewal.beat, most: renewal.beat + unanswered };
      if (renewal.kind === "lost") return "another controller took the lease";
      return `a copy of this controller renewed the lease, under epoch ${epoch} and its own name: its machine runs twice, as when a snapshot of it is resumed. Switch one of them off`;
    } catch (error) {
      if (leftMs() <= 0) return `the records did not answer until the lease ran out: ${String(error)}`;
      await clock.sleep(Math.min(500, Math.max(1, leftMs())), new AbortController().signal);
      unanswered += 1;
    }
  }
}

export const systemClock: LeaseClock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};
