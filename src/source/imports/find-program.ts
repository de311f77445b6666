import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Null: no folder of the PATH, nor of `more`, holds a program of that name. Nothing is run. */
export function findProgram(name: string, more: readonly string[] = []): string | null {
  for (const folder of [...(process.env["PATH"] ?? "").split(delimiter), ...more]) {
    if (folder === "") continue;
    const program = join(folder, name);
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // absence is the answer: the next folder is asked
    }
  }
  return null;
}

/** Changes when one of these files comes, goes or is replaced: what a program answered may be kept until then. */
export function markPrograms(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return `${path} ${found === undefined ? "-" : `${found.mtimeMs} ${found.size}`}`;
    })
    .join("\n");
}
