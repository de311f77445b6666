/** Runs what is asked at most so many at a time, in the order of asking. */
export type Lanes = <T>(act: () => Promise<T>) => Promise<T>;

export function createLanes(count: number): Lanes {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (act) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
