import type { Name } from "../core/names.ts";

/** The first seven digits of a digest or a commit: what a person compares by eye. */
export function shortId(id: string): string {
  return id.replace(/^sha256:/, "").slice(0, 7);
}

/** `a, b and 3 more`: a list in a sentence that stays a sentence. */
export function listNames(names: readonly Name[], limit = 5): string {
  if (names.length <= limit) return names.join(", ");
  return `${names.slice(0, limit).join(", ")} and ${names.length - limit} more`;
}

/** Order by code unit: the same on every machine, whatever its language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
