import type { Name } from "../core/names.ts";

interface Placed {
  readonly module: Name;
  readonly repository: Name;
  readonly branch: string;
  readonly path: string;
}

/** Folders of other modules inside this module's folder, relative to it, sorted, outermost only. */
export function nestedPaths(module: Placed, modules: readonly Placed[]): string[] {
  const prefix = module.path === "." ? "" : `${module.path}/`;
  const inside = modules
    .filter(
      (other) =>
        other.module !== module.module && other.repository === module.repository && other.branch === module.branch,
    )
    .filter((other) => other.path !== "." && other.path !== module.path && other.path.startsWith(prefix))
    // With the slash, a folder comes right before everything that is inside it.
    .map((other) => `${other.path.slice(prefix.length)}/`)
    .toSorted();
  const outermost: string[] = [];
  for (const folder of inside) {
    const last = outermost.at(-1);
    if (last === undefined || !folder.startsWith(last)) outermost.push(folder);
  }
  return outermost.map((folder) => folder.slice(0, -1)).toSorted();
}
