import { posix } from "node:path";
import type { Name } from "../core/names.ts";
import { nestedPaths } from "./nested-paths.ts";
import type { RegisteredModule } from "./source-facts.ts";

/** Where modules lie, indexed: each question looks at the few that matter, and not at every module of the mesh. */
export interface Placements {
  /** `nestedPaths` of a module. */
  nestedIn(module: RegisteredModule): readonly string[];
  /** Which other module owns a path relative to this one's folder: the innermost folder around it. */
  ownerOf(self: RegisteredModule, path: string): Name | null;
  /** Equal texts: equal answers. */
  readonly text: string;
}

export function indexPlacements(modules: readonly RegisteredModule[]): Placements {
  const byPlace = new Map<string, RegisteredModule>();
  const inSource = new Map<string, RegisteredModule[]>();
  for (const module of modules) {
    const key = sourceOf(module);
    byPlace.set(`${key}\0${module.path}`, module);
    const others = inSource.get(key) ?? [];
    others.push(module);
    inSource.set(key, others);
  }
  // With the slash, a folder comes right before everything that is inside it.
  const sorted = new Map(
    [...inSource].map(([key, all]) => [
      key,
      all.map((module) => ({ folder: `${module.path}/`, module })).toSorted((a, b) => (a.folder < b.folder ? -1 : 1)),
    ]),
  );
  return {
    nestedIn: (module) => {
      const all = inSource.get(sourceOf(module)) ?? [];
      if (module.path === ".") return all.length === 1 ? [] : nestedPaths(module, all);
      const rows = sorted.get(sourceOf(module)) ?? [];
      const prefix = `${module.path}/`;
      const inside: RegisteredModule[] = [];
      for (let at = firstAtOrAfter(rows, prefix); rows[at]?.folder.startsWith(prefix) === true; at += 1) {
        const row = rows[at];
        if (row !== undefined && row.folder !== prefix) inside.push(row.module);
      }
      return inside.length === 0 ? [] : nestedPaths(module, inside);
    },
    ownerOf: (self, path) => {
      const absolute = posix.join(self.path, path);
      const source = sourceOf(self);
      if (absolute === ".." || absolute.startsWith("../")) return null;
      for (let at = absolute; at !== ""; at = posix.dirname(at)) {
        if (at === self.path) return null;
        const owner = byPlace.get(`${source}\0${at}`);
        if (owner !== undefined) return owner.module;
        if (at === "." || at === "/") return null;
      }
      return null;
    },
    text: modules
      .map((module) => `${module.module} ${sourceOf(module)} ${module.path}`)
      .toSorted()
      .join("\n"),
  };
}

function sourceOf({ repository, branch }: RegisteredModule): string {
  return `${repository}#${branch}`;
}

function firstAtOrAfter(rows: readonly { readonly folder: string }[], prefix: string): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.folder ?? "") < prefix) low = middle + 1;
    else high = middle;
  }
  return low;
}
