/**
 * Does package.json's `exports` let others import this subpath (`.`, `./names`)? By the rules of Node, under any
 * condition: which one holds is the compiler's business, and what none has cannot be imported by anybody.
 */
export function isExported(exports: unknown, subpath: string): boolean {
  if (exports === undefined || exports === null) return true;
  const keys = typeof exports === "object" && !Array.isArray(exports) ? Object.keys(exports) : [];
  if (!keys.some((key) => key.startsWith("."))) return subpath === "." && leavesOf(exports).length > 0;
  const entries = new Map(Object.entries(exports));
  const exact = entries.get(subpath);
  if (exact !== undefined && !subpath.includes("*")) return leavesOf(exact).length > 0;
  const best = matchPattern(subpath, entries.keys());
  return best !== null && leavesOf(entries.get(best.pattern)).length > 0;
}

/** Files that a subpath leads to under any condition; none where it is not exported. */
export function targetsOfExport(exports: unknown, subpath: string): readonly string[] {
  const isOne =
    typeof exports !== "object" || exports === null || !Object.keys(exports).some((key) => key.startsWith("."));
  if (isOne) return subpath === "." ? leavesOf(exports) : [];
  const entries = new Map(Object.entries(exports));
  const exact = entries.get(subpath);
  if (exact !== undefined) return leavesOf(exact);
  const best = matchPattern(subpath, entries.keys());
  return best === null ? [] : leavesOf(entries.get(best.pattern)).map((one) => one.replaceAll("*", () => best.middle));
}

/** All strings of a conditional target, in any depth. */
export function leavesOf(target: unknown): string[] {
  if (typeof target === "string") return [target];
  if (typeof target !== "object" || target === null) return [];
  return Object.values(target).flatMap(leavesOf);
}

/** The pattern with the longest beginning that fits, and what stands for its `*`. */
export function matchPattern(
  specifier: string,
  patterns: Iterable<string>,
): { readonly pattern: string; readonly middle: string } | null {
  let best: { readonly pattern: string; readonly middle: string } | null = null;
  let length = -1;
  for (const pattern of patterns) {
    const [before = "", after] = pattern.split("*", 2);
    if (after === undefined || !specifier.startsWith(before) || !specifier.endsWith(after)) continue;
    if (specifier.length < before.length + after.length || before.length <= length) continue;
    length = before.length;
    best = { pattern, middle: specifier.slice(before.length, specifier.length - after.length) };
  }
  return best;
}
