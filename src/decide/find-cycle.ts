import { compareText } from "./short-names.ts";

type Cycle = readonly [string, ...string[]];

/**
 * The shortest cycle of a graph (among equals, the first by name), starting at its first member; null: none. Edges to
 * what is not a key are no part of a cycle.
 */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): Cycle | null {
  let shortest: Cycle | null = null;
  for (const start of [...edges.keys()].toSorted(compareText)) {
    const cycle = shortestCycleFrom(edges, start, shortest?.length ?? Infinity);
    if (cycle !== null) shortest = cycle;
  }
  return shortest;
}

/** Breadth first from `start` back to it, through members not before `start`, shorter than `limit`. */
function shortestCycleFrom(edges: ReadonlyMap<string, readonly string[]>, start: string, limit: number): Cycle | null {
  const cameFrom = new Map<string, string>();
  let level = [start];
  for (let length = 1; level.length > 0 && length < limit; length += 1) {
    const next: string[] = [];
    for (const at of level) {
      for (const to of (edges.get(at) ?? []).toSorted(compareText)) {
        if (to === start) return pathTo(cameFrom, start, at);
        if (compareText(to, start) < 0 || cameFrom.has(to) || !edges.has(to)) continue;
        cameFrom.set(to, at);
        next.push(to);
      }
    }
    level = next;
  }
  return null;
}

function pathTo(cameFrom: ReadonlyMap<string, string>, start: string, last: string): Cycle {
  const reversed: string[] = [];
  for (let at = last; at !== start; at = cameFrom.get(at) ?? start) reversed.push(at);
  return [start, ...reversed.toReversed()];
}
