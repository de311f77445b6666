/** Chance that repeats: every part of a run draws from a stream of its own, so that one more draw in one part moves no other. */
export interface Random {
  /** 0 ≤ x < 1. */
  next(): number;
  /** An integer, both ends included. */
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  fork(label: string): Random;
}

export function createRandom(seed: number, label = ""): Random {
  let state = hash(`${seed} ${label}`);
  const next = (): number => {
    // mulberry32: 32 bits of state are enough for a run, and it costs next to nothing.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
    fork: (name) => createRandom(seed, `${label}/${name}`),
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
