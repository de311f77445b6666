import { UnavailableError } from "../../src/core/errors.ts";
import { type ExpectedBeats, leaseAgeMs, type Renewal } from "../../src/decide/lease.ts";
import { describe, expect, it } from "vitest";
import {
  acquireLease,
  type Lease,
  type LeaseClock,
  type LeaseRecord,
  type LeaseStore,
} from "../../src/worker/lease-keeper.ts";

/** A clock that moves only when somebody sleeps on it, or when a test moves it. */
function createTestClock() {
  let monotonicMs = 0;
  let wallMs = 1_000_000;
  const clock: LeaseClock = {
    monotonicMs: () => monotonicMs,
    wallMs: () => wallMs,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      await Promise.resolve();
      signal.throwIfAborted();
      monotonicMs += ms;
      wallMs += ms;
    },
  };
  return {
    clock,
    move: (by: { monotonicMs?: number; wallMs?: number }) => {
      monotonicMs += by.monotonicMs ?? 0;
      wallMs += by.wallMs ?? 0;
    },
    nowMs: () => monotonicMs,
  };
}

/** A lease row; `renews` says what each renewal is answered. */
function createTestStore(options: { record: LeaseRecord | null; renews?: (beats: ExpectedBeats) => Promise<Renewal> }) {
  let record = options.record;
  const calls = { taken: 0, released: 0, renewed: 0 };
  const store: LeaseStore = {
    read: async () => record,
    take: async (seen) => {
      if (JSON.stringify(seen) !== JSON.stringify(record)) return null;
      calls.taken += 1;
      record = { holder: "me", epoch: (record?.epoch ?? 0) + 1, ageMs: leaseAgeMs, beat: 1 };
      return record;
    },
    renew: (_epoch, beats) => {
      calls.renewed += 1;
      return options.renews === undefined ? new Promise(() => undefined) : options.renews(beats);
    },
    release: async () => {
      calls.released += 1;
      return true;
    },
  };
  return { store, calls, set: (next: LeaseRecord) => (record = next) };
}

const held: LeaseRecord = { holder: "other", epoch: 7, ageMs: 15_000, beat: 40 };

function acquire(
  store: LeaseStore,
  clock: LeaseClock,
  onLost: (why: string) => void = () => undefined,
): Promise<Lease> {
  return acquireLease(store, clock, { signal: new AbortController().signal, onWaiting: () => undefined, onLost });
}

describe("taking the lease", () => {
  it("takes a lease that was given back at once (R34)", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: { ...held, holder: null } });
    expect((await acquire(store, time.clock)).epoch).toBe(8);
    expect(time.nowMs()).toBeLessThan(held.ageMs);
  });

  it("waits a full age since it saw the record change, on its own clock (R34)", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: held });
    await acquire(store, time.clock);
    expect(time.nowMs()).toBeGreaterThanOrEqual(15_000);
  });

  it("begins to wait again whenever the holder renews (R34)", async () => {
    const time = createTestClock();
    const { store, set } = createTestStore({ record: held });
    let renewals = 0;
    const renewing: LeaseStore = {
      ...store,
      read: async () => {
        // A holder that renews every 5 s, four times, and is then gone.
        if (renewals < 4 && time.nowMs() >= (renewals + 1) * 5_000) set({ ...held, beat: held.beat + ++renewals });
        return store.read();
      },
    };
    await acquire(renewing, time.clock);
    expect(time.nowMs()).toBeGreaterThanOrEqual(20_000 + 15_000);
  });

  it("lets the age in the record rule, not its own setting (R34)", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: { ...held, ageMs: 40_000 } });
    await acquire(store, time.clock);
    expect(time.nowMs()).toBeGreaterThanOrEqual(40_000);
  });
});

describe("records that do not answer while a controller stands by", () => {
  const noAnswer = () => Promise.reject(new UnavailableError("the records do not answer"));

  it("are asked again, and the lease is taken when its age is over (case 42)", async () => {
    const time = createTestClock();
    const { store, set } = createTestStore({ record: held });
    let refusedTakes = 0;
    const said: string[] = [];
    const failing: LeaseStore = {
      ...store,
      read: () => (time.nowMs() >= 1_000 && time.nowMs() < 3_000 ? noAnswer() : store.read()),
      take: (seen) => (refusedTakes++ === 0 ? noAnswer() : store.take(seen)),
    };
    set(held);
    const lease = await acquireLease(failing, time.clock, {
      signal: new AbortController().signal,
      onWaiting: () => undefined,
      onLost: () => undefined,
      onUnanswered: (error) => void said.push(error.message),
    });
    expect(lease.epoch).toBe(8);
    expect(time.nowMs()).toBeGreaterThanOrEqual(15_000);
    expect(refusedTakes).toBe(2);
    // Once for the reading that went unanswered for two seconds, once for the taking.
    expect(said).toEqual(["the records do not answer", "the records do not answer"]);
  });

  it("where the taking was done and only its answer lost, it is waited for the age of what was taken (R34)", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: { ...held, holder: null } });
    let taken = 0;
    const losing: LeaseStore = {
      ...store,
      take: async (seen) => {
        const answer = await store.take(seen);
        if (taken++ === 0) return noAnswer();
        return answer;
      },
    };
    const lease = await acquireLease(losing, time.clock, {
      signal: new AbortController().signal,
      onWaiting: () => undefined,
      onLost: () => undefined,
      onUnanswered: () => undefined,
    });
    expect(lease.epoch).toBe(9);
    expect(time.nowMs()).toBeGreaterThanOrEqual(leaseAgeMs);
  });

  it("end a shell, whose person is told", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: held });
    await expect(acquire({ ...store, read: noAnswer }, time.clock)).rejects.toThrow("the records do not answer");
  });

  it("anything else that is wrong with them ends whoever waits", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: held });
    const acquiring = acquireLease({ ...store, read: () => Promise.reject(new Error("no table")) }, time.clock, {
      signal: new AbortController().signal,
      onWaiting: () => undefined,
      onLost: () => undefined,
      onUnanswered: () => undefined,
    });
    await expect(acquiring).rejects.toThrow("no table");
  });
});

describe("holding the lease", () => {
  it("may not act once the monotonic clock says so, 3 s before expiry, though no timer ran (R34, case 35)", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: null });
    const lease = await acquire(store, time.clock);
    expect(lease.mayAct()).toBe(true);
    time.move({ monotonicMs: 12_000 });
    expect(lease.mayAct()).toBe(false);
  });

  it("may not act once the wall clock says so, and a wall clock set back extends nothing (R34)", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: null });
    const lease = await acquire(store, time.clock);
    time.move({ wallMs: 12_000 });
    expect(lease.mayAct()).toBe(false);
    time.move({ wallMs: -3_600_000, monotonicMs: 12_000 });
    expect(lease.mayAct()).toBe(false);
  });

  it("is lost for good when a renewal is refused (R34)", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: null, renews: async () => ({ kind: "lost" }) });
    const lost = new Promise<string>((resolve) => {
      void acquire(store, time.clock, resolve);
    });
    expect(await lost).toContain("another controller took the lease");
  });

  it("is lost when the renewal was answered after the lease had run out (R34)", async () => {
    const time = createTestClock();
    const { store } = createTestStore({
      record: null,
      renews: async () => {
        time.move({ monotonicMs: 14_000 });
        return { kind: "renewed", beat: 2 };
      },
    });
    const lost = new Promise<string>((resolve) => {
      void acquire(store, time.clock, resolve);
    });
    expect(await lost).toContain("after the lease had run out");
  });

  it("asks a store that does not answer again until the deadline, and is then lost (R34, case 42)", async () => {
    const time = createTestClock();
    const { store, calls } = createTestStore({ record: null, renews: () => Promise.reject(new Error("no answer")) });
    const lost = new Promise<string>((resolve) => {
      void acquire(store, time.clock, resolve);
    });
    expect(await lost).toContain("did not answer until the lease ran out");
    expect(calls.renewed).toBeGreaterThan(5);
  });

  it("is lost with a word of its own when a copy of this process renewed it (R34)", async () => {
    const time = createTestClock();
    const { store } = createTestStore({ record: null, renews: async () => ({ kind: "copied" }) });
    const lost = new Promise<string>((resolve) => {
      void acquire(store, time.clock, resolve);
    });
    expect(await lost).toMatch(/a copy of this controller renewed the lease, under epoch 1 .*Switch one of them off/);
  });

  it("takes what it did not hear of its own renewals for its own, now or late, and nothing else (R34)", async () => {
    const time = createTestClock();
    const asked: ExpectedBeats[] = [];
    const { store } = createTestStore({
      record: null,
      renews: async (beats) => {
        asked.push(beats);
        if (asked.length <= 2) throw new Error("the answer was lost");
        return asked.length <= 4 ? { kind: "renewed", beat: beats.least + 1 } : { kind: "copied" };
      },
    });
    await new Promise<string>((resolve) => {
      void acquire(store, time.clock, resolve);
    });
    expect(asked).toEqual([
      { least: 1, most: 1 },
      { least: 1, most: 2 },
      { least: 1, most: 3 },
      // One that was not answered may be done only now.
      { least: 2, most: 4 },
      { least: 3, most: 3 },
    ]);
  });

  it("is given back once its work has ended (R34)", async () => {
    const time = createTestClock();
    const { store, calls } = createTestStore({ record: null });
    const lease = await acquire(store, time.clock);
    await lease.release();
    expect(calls.released).toBe(1);
  });
});
