import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../../core/errors.ts";

/**
 * What lies where the build puts something of its own: that very path, or a file where a folder above it must be. Null:
 * nothing does.
 */
export async function findInTheWay(folder: string, path: string): Promise<string | null> {
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
    const above = await whenThere(lstat(join(folder, path.slice(0, end))));
    if (above === null) return null;
    if (!above.isDirectory()) return path.slice(0, end);
  }
  return (await whenThere(lstat(join(folder, path)))) === null ? null : path;
}

/** It is the module's: only a commit moves it away. */
export function sayInTheWay(path: string, what: string): string {
  return `${path} is the module's own, and the build puts ${what} there: call it otherwise`;
}
