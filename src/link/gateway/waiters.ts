/** One host's long poll. */
export type Waiter = {
  /** There may be something new. Kept when nobody sleeps, so that none is lost between a read and a sleep. */
  readonly wake: () => void;
  /** Until woken, released, or the time is over; and forgets the wake. */
  readonly sleep: (ms: number) => Promise<void>;
  /** It must be answered now: the gateway closes, the host is gone, or it asks again on another connection. */
  readonly release: () => void;
  readonly isReleased: () => boolean;
  readonly leave: () => void;
};

/** Bounded: one per node, `limit` in all. */
export type Waiters = {
  /** Null: there are too many. A node's earlier waiter is released. */
  enter(node: string): Waiter | null;
  /** All that are here, and all that come. */
  releaseAll(): void;
  readonly count: () => number;
};

export function createWaiters(limit: number): Waiters {
  const byNode = new Map<string, Waiter>();
  let closing = false;
  return {
    enter(node) {
      const earlier = byNode.get(node);
      if (earlier === undefined && byNode.size >= limit) return null;
      earlier?.release();
      const waiter = createWaiter(() => {
        if (byNode.get(node) === waiter) byNode.delete(node);
      });
      byNode.set(node, waiter);
      if (closing) waiter.release();
      return waiter;
    },
    releaseAll() {
      closing = true;
      for (const waiter of byNode.values()) waiter.release();
    },
    count: () => byNode.size,
  };
}

function createWaiter(leave: () => void): Waiter {
  let woken = false;
  let released = false;
  let endSleep: (() => void) | null = null;
  return {
    wake() {
      woken = true;
      endSleep?.();
    },
    async sleep(ms) {
      if (!woken && !released) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          endSleep = resolve;
          timer = setTimeout(resolve, ms);
        });
        clearTimeout(timer);
        endSleep = null;
      }
      woken = false;
    },
    release() {
      released = true;
      endSleep?.();
    },
    isReleased: () => released,
    leave,
  };
}
