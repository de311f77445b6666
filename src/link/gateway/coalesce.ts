/** Many nudges, few looks: each key's `run` is called at once, then at most once in `everyMs`; the last is never lost. */
export type Coalescer = {
  readonly wake: (key: string) => void;
  /** A run that begins after now is already certain: one more nudge would change nothing. */
  readonly isPending: (key: string) => boolean;
  /** Runs what is pending at once, and nothing after that. */
  readonly close: () => void;
};

type Rest = { again: boolean; timer: NodeJS.Timeout };

export function createCoalescer(options: {
  readonly everyMs: number;
  readonly run: (key: string) => Promise<void>;
  readonly onError: (key: string, error: unknown) => void;
}): Coalescer {
  const resting = new Map<string, Rest>();
  let closed = false;
  const start = (key: string) => {
    options.run(key).catch((error: unknown) => {
      options.onError(key, error);
    });
    const timer = setTimeout(() => {
      const again = resting.get(key)?.again === true;
      resting.delete(key);
      if (again) start(key);
    }, options.everyMs);
    resting.set(key, { again: false, timer });
  };
  return {
    wake(key) {
      if (closed) return;
      const rest = resting.get(key);
      if (rest === undefined) start(key);
      else rest.again = true;
    },
    isPending: (key) => resting.get(key)?.again === true,
    close() {
      closed = true;
      for (const [key, { again, timer }] of resting) {
        clearTimeout(timer);
        if (again)
          options.run(key).catch((error: unknown) => {
            options.onError(key, error);
          });
      }
      resting.clear();
    },
  };
}
