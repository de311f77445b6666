/** Since when something has not been right, by name. Kept in memory: a host that starts again is patient again. */
export interface Patience {
  /** Milliseconds since this was first asked; 0 at first, and again when `what` is another. */
  waitedMs(name: string, what: string): number;
  end(name: string): void;
}

export function createPatience(nowMs: () => number): Patience {
  const since = new Map<string, { readonly what: string; readonly atMs: number }>();
  return {
    waitedMs(name, what) {
      const before = since.get(name);
      const now = nowMs();
      if (before?.what === what && before.atMs <= now) return now - before.atMs;
      // Also where the clock was set back: else it would be waited for until that time comes again.
      since.set(name, { what, atMs: now });
      return 0;
    },
    end(name) {
      since.delete(name);
    },
  };
}
