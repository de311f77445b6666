import type { History, Push, Told } from "../history/history.ts";
import type { Check } from "./violation.ts";

/** L5: every push ended. I9: its result counts what was sent, no more and no less, and it told whom it named or changed. */
export function checkPushes(history: History): Check[] {
  return history.pushes.flatMap((push): Check[] => [...checkEnd(push, history), ...checkWhom(push, history)]);
}

function checkEnd({ id, outcome, sent }: Push, { sends }: History): Check[] {
  if (outcome === null) return [{ invariant: "L5", message: `push ${id} never ended` }];
  const reached = new Set(sends.filter(({ push }) => push === id).map(({ node }) => node)).size;
  if (sent === reached) return [];
  return [{ invariant: "I9", message: `push ${id} says that it sent to ${sent}, and sent to ${reached}` }];
}

/**
 * Round 0 is for those that were named. Whom a later round tells is to be something else than when this push told it last, or
 * than before the push. What cannot be worked out has no digest, and is no send.
 */
function checkWhom({ id, named }: Push, { told, baselines }: History): Check[] {
  const last = new Map(
    baselines.filter(({ push }) => push === id).map(({ node, digest }): [string, string | null] => [node, digest]),
  );
  const wanted = new Set(named);
  const seen = new Set<string>();
  return told
    .filter(({ push }) => push === id)
    .toSorted((a, b) => a.round - b.round)
    .flatMap((one): Check[] => {
      const why = sayUncalledFor(one, { wanted, seen, last });
      seen.add(one.node);
      last.set(one.node, one.digest);
      return why === null
        ? []
        : [{ invariant: "I9", message: `push ${id} told ${one.node} in round ${one.round}, ${why}` }];
    });
}

interface Before {
  readonly wanted: ReadonlySet<string>;
  /** Who was told something in an earlier round. */
  readonly seen: ReadonlySet<string>;
  readonly last: ReadonlyMap<string, string | null>;
}

function sayUncalledFor({ node, round, digest }: Told, { wanted, seen, last }: Before): string | null {
  if (wanted.has(node) && !seen.has(node)) return null;
  if (round === 0) return "and did not name it";
  if (!last.has(node)) return "which was no machine of the mesh when it began";
  if (digest === null || last.get(node) !== digest) return null;
  return "and it is to be what it was to be before";
}
