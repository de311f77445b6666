import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";

/** A text and what stands in its place. */
export interface Replacement {
  /** From the repository's root. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A bug planted in the real source: the simulator must notice it, by the promise it breaks. */
export interface Mutant extends Replacement {
  readonly name: string;
  /** What is wrong then, in words. */
  readonly why: string;
  /** Makes the fault that shows it come in every life, where it would come in one of hundreds. */
  readonly often?: Replacement;
  /** The promises of which one must be named. */
  readonly breaks: readonly string[];
}

const root = new URL("../../../", import.meta.url);

/** Replaces the texts while the simulator is bundled; throws where one is not there exactly once. */
export function plantMutant(mutant: Mutant): Plugin {
  const plants = new Map(listReplacements(mutant).map((one) => [fileURLToPath(new URL(one.file, root)), one] as const));
  return {
    name: `mutant ${mutant.name}`,
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const plant = plants.get(path);
        if (plant === undefined) return undefined;
        return { contents: mutate(await readFile(path, "utf8"), plant), loader: "ts" };
      });
    },
  };
}

/** In files of their own. */
export function listReplacements({ often, ...mutant }: Mutant): readonly Replacement[] {
  return often === undefined ? [mutant] : [mutant, often];
}

export function mutate(source: string, { file, find, replace }: Replacement): string {
  const count = source.split(find).length - 1;
  if (count !== 1) throw new Error(`the text of a mutant is ${count} times in ${file}, not once: ${find}`);
  return source.replace(find, () => replace);
}
