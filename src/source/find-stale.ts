import type { Name } from "../core/names.ts";
import type { KnownSource } from "../core/known-source.ts";
import { hasSameContext } from "./known-source.ts";
import type { SeenFolder } from "./look-at-folders.ts";
import type { Published } from "./publish-names.ts";
import type { Work } from "./read-what-moved.ts";

/** Folders that are what they were, of modules whose imports lead elsewhere because of what moved. */
export function findStale(
  { modules, memory, known, seen }: Pick<Work, "modules" | "memory" | "known" | "seen">,
  {
    moved,
    published,
    factsKey,
  }: {
    readonly moved: readonly SeenFolder[];
    readonly published: Published;
    readonly factsKey: (module: Name) => string | null;
  },
): readonly SeenFolder[] {
  const isStale = (of: KnownSource, keyOf: (module: Name) => string | null): boolean =>
    !hasSameContext(of, published.key(of.language ?? ""), keyOf);
  const isSameForOthers = moved.every(({ module: { module } }) => known.get(module)?.factsKey === factsKey(module));
  // A module that is not there any more, or not yet, is asked for by name.
  if (!isSameForOthers || seen.all.length !== modules.length)
    return seen.all.filter((one) => one.known !== null && isStale(one.known, factsKey));
  const { last } = memory.stale;
  const isLast = last?.known === known && last.modules === modules && last.published === published;
  const there = new Set(isLast ? [] : modules.map(({ module }) => module));
  const recorded = (module: Name): string | null => (there.has(module) ? (known.get(module)?.factsKey ?? null) : null);
  const names = isLast
    ? last.names
    : new Set([...known].filter(([name, of]) => there.has(name) && isStale(of, recorded)).map(([name]) => name));
  memory.stale.last = { known, modules, published, names };
  return names.size === 0 ? [] : seen.all.filter((one) => one.known !== null && names.has(one.module.module));
}
