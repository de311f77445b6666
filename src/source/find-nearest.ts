/** Further apart than this, it was another word that was meant. */
const farthest = 2;

/** The word that a slip of the finger makes into `typed`; null: none of them, or it is none of these at all. */
export function findNearest(typed: string, words: readonly string[]): string | null {
  if (typed.length > 100) return null;
  let nearest: string | null = null;
  let least = farthest + 1;
  for (const word of words) {
    const distance = countEdits(typed, word);
    // A short word is one or two letters away from anything.
    if (distance < least && distance * 2 <= word.length) {
      nearest = word;
      least = distance;
    }
  }
  return nearest;
}

/** Letters put in, left out or changed, and neighbours swapped. */
function countEdits(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let y = 1; y <= from.length; y += 1) {
    const next = [y];
    for (let x = 1; x <= to.length; x += 1) {
      const isSame = from[y - 1] === to[x - 1];
      const isSwap = x > 1 && y > 1 && from[y - 1] === to[x - 2] && from[y - 2] === to[x - 1];
      const steps = [(next[x - 1] ?? 0) + 1, (row[x] ?? 0) + 1, (row[x - 1] ?? 0) + (isSame ? 0 : 1)];
      next.push(Math.min(...steps, ...(isSwap ? [(before[x - 2] ?? 0) + 1] : [])));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
