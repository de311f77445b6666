/** The order of Semantic Versioning, with or without a `v` before: what follows `+` means nothing. */
export function compareSemanticVersions(a: string, b: string): number {
  const [left, right] = [split(a), split(b)];
  for (const [at, number] of left.numbers.entries()) {
    const other = right.numbers[at] ?? 0;
    if (number !== other) return number - other;
  }
  if (left.before.length === 0 || right.before.length === 0) return right.before.length - left.before.length;
  for (const [at, part] of left.before.entries()) {
    const other = right.before[at];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return left.before.length - right.before.length;
}

function compareParts(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left && right) return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
  if (left !== right) return left ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function split(version: string): { readonly numbers: readonly number[]; readonly before: readonly string[] } {
  const plain = version.replace(/^v/, "").replace(/\+.*$/, "");
  const dash = plain.indexOf("-");
  const numbers = (dash === -1 ? plain : plain.slice(0, dash)).split(".").map(Number);
  return { numbers, before: dash === -1 ? [] : plain.slice(dash + 1).split(".") };
}
