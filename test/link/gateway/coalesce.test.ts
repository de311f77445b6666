import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createCoalescer } from "../../../src/link/gateway/coalesce.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function create(run: (key: string) => Promise<void> = async () => {}) {
  const runs: string[] = [];
  const errors: unknown[] = [];
  const coalescer = createCoalescer({
    everyMs: 1000,
    run: (key) => {
      runs.push(key);
      return run(key);
    },
    onError: (_key, error) => errors.push(error),
  });
  return { ...coalescer, runs, errors };
}

describe("coalescing of wakes (R7, case 56)", () => {
  it("runs the first at once", () => {
    const { wake, runs } = create();
    wake("a");
    expect(runs).toEqual(["a"]);
  });

  it("makes one of a thousand, and never loses the last", () => {
    const { wake, runs, isPending } = create();
    for (let count = 0; count < 1000; count += 1) wake("a");
    expect(runs.length).toBe(1);
    expect(isPending("a")).toBe(true);
    vi.advanceTimersByTime(999);
    expect(runs.length).toBe(1);
    vi.advanceTimersByTime(1);
    expect(runs.length).toBe(2);
    expect(isPending("a")).toBe(false);
    vi.advanceTimersByTime(10_000);
    expect(runs.length).toBe(2);
  });

  it("keeps the distance also after the trailing one", () => {
    const { wake, runs } = create();
    wake("a");
    wake("a");
    vi.advanceTimersByTime(1000);
    wake("a");
    expect(runs.length).toBe(2);
    vi.advanceTimersByTime(1000);
    expect(runs.length).toBe(3);
  });

  it("keeps sources apart", () => {
    const { wake, runs } = create();
    wake("a");
    wake("b");
    expect(runs).toEqual(["a", "b"]);
  });

  it("says when a run fails, and goes on", async () => {
    const { wake, runs, errors } = create(() => Promise.reject(new Error("away")));
    wake("a");
    wake("a");
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs.length).toBe(2);
    expect(errors.length).toBe(2);
  });

  it("runs what is pending when it is closed, once", () => {
    const { wake, close, runs } = create();
    wake("a");
    wake("a");
    wake("b");
    close();
    expect(runs).toEqual(["a", "b", "a"]);
    wake("a");
    vi.advanceTimersByTime(10_000);
    expect(runs.length).toBe(3);
  });
});
