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
    .map((other) => other.path.slice(prefix.length))
    .toSorted();
  return inside.filter(
    (path, at) => !inside.slice(0, at).some((outer) => path === outer || path.startsWith(`${outer}/`)),
  );
}
