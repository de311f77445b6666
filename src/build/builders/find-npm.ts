import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

export interface NpmPlaces {
  readonly node: string;
  /** As in the environment. */
  readonly path: string;
  /** Where a distribution keeps it. */
  readonly shared: string;
}

function ownPlaces(): NpmPlaces {
  return { node: process.execPath, path: process.env["PATH"] ?? "", shared: "/usr/share/nodejs/npm" };
}

/** Folder of the npm that belongs to this Node, or of the one on the PATH; null: there is none. */
export function findNpm({ node, path, shared }: NpmPlaces = ownPlaces()): string | null {
  const candidates = [
    join(dirname(node), "..", "lib", "node_modules", "npm"),
    shared,
    ...path.split(delimiter).flatMap((folder) => {
      const program = join(folder, "npm");
      return existsSync(program) ? [join(dirname(realpathSync(program)), "..")] : [];
    }),
  ];
  const found = candidates.find((folder) => existsSync(join(folder, "bin", "npm-cli.js")));
  return found === undefined ? null : realpathSync(found);
}
