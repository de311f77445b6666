import { UnavailableError } from "../../../src/core/errors.ts";
import { idle, type Process, type Timeline } from "../timeline.ts";
import type { Backend, OpenTransaction } from "./backend.ts";
import type { Draft } from "./state.ts";

/** What goes wrong on one call, asked once for each. */
export interface StoreFaults {
  /** One way, in milliseconds. */
  latencyMs(): number;
  /** `refused`: nothing happened. `answer-lost`: it happened, and nobody hears of it. */
  call(): "none" | "refused" | "answer-lost";
}

/** One process's way to the records and back. */
export interface Road {
  /** The network's: what a process sent before it died arrives. */
  there(): Promise<void>;
  /** The process's: it never comes to one that was killed. */
  back(): Promise<void>;
  faults: StoreFaults;
  call<T>(act: () => T): Promise<T>;
  /** One of many in a transaction. */
  statement<T>(transaction: OpenTransaction, act: () => T): Promise<T>;
  /** A transaction of one statement. */
  write<T>(act: (draft: Draft) => T): Promise<T>;
  /** Holds the gate until `work` has ended, or the connection breaks. */
  throughGate<T>(work: (transaction: OpenTransaction) => Promise<T>): Promise<T>;
}

export function createRoad(timeline: Timeline, backend: Backend, process: Process, faults: StoreFaults): Road {
  const there = (): Promise<void> => timeline.pass(faults.latencyMs());
  const back = (): Promise<void> => timeline.pass(faults.latencyMs(), process);
  // What arrives at the records lets no promise go on: only the answer does.
  const call = <T>(act: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const answer = (done: () => void): typeof idle => {
        timeline.plan(faults.latencyMs(), done, process);
        return idle;
      };
      const fault = faults.call();
      timeline.plan(faults.latencyMs(), () => {
        if (fault === "refused" || backend.isDown())
          return answer(() => reject(new UnavailableError("the records did not answer")));
        const outcome = attempt(act);
        if (fault === "answer-lost")
          return answer(() => reject(new UnavailableError("the connection broke before the answer")));
        return answer(() => (outcome.ok ? resolve(outcome.value) : reject(outcome.error)));
      });
    });
  const statement = <T>(transaction: OpenTransaction, act: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      timeline.plan(faults.latencyMs(), () => {
        if (transaction.isAborted) return reject(new UnavailableError("the connection broke in the transaction"));
        const outcome = attempt(act);
        if (!outcome.ok) return reject(outcome.error);
        timeline.plan(faults.latencyMs(), () => resolve(outcome.value), process);
        return idle;
      });
    });
  return {
    there,
    back,
    faults,
    call,
    statement,
    write: (act) =>
      call(() => {
        const draft: Draft = { ...backend.records };
        const value = act(draft);
        backend.records = draft;
        backend.tick();
        return value;
      }),
    async throughGate(work) {
      await there();
      // Killed on the way: its connection is closed, and nobody would ever give the gate back.
      if (process.isKilled || backend.isDown()) throw new UnavailableError("the records did not answer");
      const transaction: OpenTransaction = {
        process,
        isAborted: false,
        hasSentCommit: false,
        release: () => undefined,
      };
      backend.open.add(transaction);
      try {
        transaction.release = await backend.gate.lock(transaction);
        if (transaction.isAborted) throw new UnavailableError("the connection broke");
        return await work(transaction);
      } finally {
        transaction.release();
        backend.open.delete(transaction);
      }
    },
  };
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

function attempt<T>(act: () => T): Outcome<T> {
  try {
    return { ok: true, value: act() };
  } catch (error) {
    return { ok: false, error };
  }
}
