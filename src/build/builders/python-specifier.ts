/** One part of a specifier: how, which release, and whether it names all that begin so (`3.11.*`). */
interface Clause {
  readonly how: string;
  readonly release: readonly number[];
  readonly isPrefix: boolean;
}

/** A pre-release of a bound says no more here than the release itself: whether this Python or another one is asked for. */
const clauseShape = /^(===?|!=|~=|<=?|>=?)\s*v?(\d{1,9}(?:\.\d{1,9}){0,9})(\.\*)?(?:[.-]?(?:a|b|rc|dev|post)\d*)?$/;

/** Whether a Python of this version is one that `requires-python` asks for (PEP 440). Null: it cannot be read. */
export function fitsPython(specifier: string, version: string): boolean | null {
  const own = /^\d+(?:\.\d+)*/.exec(version)?.[0].split(".").map(Number);
  if (own === undefined) return null;
  const clauses = specifier
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(readClause);
  if (clauses.includes(null)) return null;
  return clauses.every((clause) => clause !== null && holds(clause, own));
}

function readClause(text: string): Clause | null {
  const [, how, release, star] = clauseShape.exec(text) ?? [];
  if (how === undefined || release === undefined) return null;
  return { how, release: release.split(".").map(Number), isPrefix: star !== undefined };
}

function holds({ how, release, isPrefix }: Clause, own: readonly number[]): boolean {
  const order = compare(own, release);
  const isSame = isPrefix ? beginsWith(own, release) : order === 0;
  switch (how) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "!=":
      return !isSame;
    case "~=":
      return order >= 0 && beginsWith(own, release.slice(0, -1));
    default:
      return isSame;
  }
}

/** Below, at or above zero. `3.8` is `3.8.0`. */
function compare(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function beginsWith(own: readonly number[], release: readonly number[]): boolean {
  return release.every((part, at) => (own[at] ?? 0) === part);
}
