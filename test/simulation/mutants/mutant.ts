import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";

/** A bug planted in the real source: the simulator must notice it, by the promise it breaks. */
export interface Mutant {
  readonly name: string;
  /** What is wrong then, in words. */
  readonly why: string;
  /** From the repository's root. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The promises of which one must be named. */
  readonly breaks: readonly string[];
}

const root = new URL("../../../", import.meta.url);

/** Replaces the text while the simulator is bundled; throws where the text is not there exactly once. */
export function plantMutant(mutant: Mutant): Plugin {
  const path = fileURLToPath(new URL(mutant.file, root));
  return {
    name: `mutant ${mutant.name}`,
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async (args) => {
        if (args.path !== path) return undefined;
        return { contents: mutate(await readFile(path, "utf8"), mutant), loader: "ts" };
      });
    },
  };
}

export function mutate(source: string, { name, file, find, replace }: Mutant): string {
  const count = source.split(find).length - 1;
  if (count !== 1) throw new Error(`mutant ${name}: its text is ${count} times in ${file}, not once`);
  return source.replace(find, () => replace);
}
