import { UnavailableError } from "../../../src/core/errors.ts";
import type { Process, Timeline } from "../timeline.ts";
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
  /** A transaction of one statement. */
  write<T>(act: (draft: Draft) => T): Promise<T>;
  /** Holds the gate until `work` has ended, or the connection breaks. */
  throughGate<T>(work: (transaction: OpenTransaction) => Promise<T>): Promise<T>;
}

export function createRoad(timeline: Timeline, backend: Backend, process: Process, faults: StoreFaults): Road {
  const there = (): Promise<void> => timeline.pass(faults.latencyMs());
  const back = (): Promise<void> => timeline.pass(faults.latencyMs(), process);
  const call = async <T>(act: () => T): Promise<T> => {
    const fault = faults.call();
    await there();
    if (fault === "refused" || backend.isDown()) {
      await back();
      throw new UnavailableError("the records did not answer");
    }
    const outcome = attempt(act);
    await back();
    if (fault === "answer-lost") throw new UnavailableError("the connection broke before the answer");
    if (!outcome.ok) throw outcome.error;
    return outcome.value;
  };
  return {
    there,
    back,
    faults,
    call,
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
