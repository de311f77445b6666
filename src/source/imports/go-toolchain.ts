import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";

/** A Go that is installed on this machine. */
export interface GoToolchain {
  /** The real program, e.g. `/usr/local/go/bin/go`. */
  readonly program: string;
  /** Its folder, e.g. `/usr/local/go`. */
  readonly root: string;
  /** e.g. `1.26.8`. */
  readonly version: string;
}

const usualFolders = ["/usr/local/go/bin", "/usr/lib/go/bin"];

/** Null: there is none on the PATH nor where Go is usually installed. Nothing is run: it is looked for at each call. */
export function findGo(): GoToolchain | null {
  return findGoIn([...(process.env["PATH"] ?? "").split(delimiter), ...usualFolders]);
}

export function findGoIn(folders: readonly string[]): GoToolchain | null {
  for (const folder of folders) {
    const program = join(folder, "go");
    if (!isAbsolute(folder) || !existsSync(program)) continue;
    const real = realpathSync(program);
    const root = dirname(dirname(real));
    const file = join(root, "VERSION");
    const version = existsSync(file) ? /^go(\S+)/.exec(readFileSync(file, "utf8"))?.[1] : undefined;
    // A shim of a version manager has no toolchain around it: the next one on the PATH may.
    if (version !== undefined) return { program: real, root, version };
  }
  return null;
}
