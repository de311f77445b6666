/** Semantic order of two versions of a Go module; what follows `+` means nothing. */
export function compareGoVersions(a: string, b: string): number {
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

/** `1.22`, `1.22.3`, `1.23rc1` in Go's order. */
export function compareGoLines(a: string, b: string): number {
  const parts = (text: string): number[] => {
    const [, major, minor, patch, kind, number] = /^(\d+)\.(\d+)(?:\.(\d+))?(?:(rc|beta)(\d+))?$/.exec(text) ?? [];
    const before = kind === "beta" ? -2 : kind === "rc" ? -1 : 0;
    return [Number(major), Number(minor), before, Number(number ?? 0), Number(patch ?? 0)];
  };
  const [left, right] = [parts(a), parts(b)];
  const at = left.findIndex((value, index) => value !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}
