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
  /** Makes the faults that show it come in every life, where they would come in one of hundreds. */
  readonly often?: readonly Replacement[];
  /** The promises of which one must be named. */
  readonly breaks: readonly string[];
}

const root = new URL("../../../", import.meta.url);

export function plantMutant(mutant: Mutant): Plugin {
  return plant(`mutant ${mutant.name}`, listReplacements(mutant));
}

/** Replaces the texts while the simulator is bundled; throws where one is not there exactly once. */
export function plant(name: string, replacements: readonly Replacement[]): Plugin {
  const plants = replacements.map((one) => ({ ...one, path: fileURLToPath(new URL(one.file, root)) }));
  return {
    name,
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const its = plants.filter((one) => one.path === path);
        if (its.length === 0) return undefined;
        return { contents: its.reduce(mutate, await readFile(path, "utf8")), loader: "ts" };
      });
    },
  };
}

export function listReplacements({ often = [], ...mutant }: Mutant): readonly Replacement[] {
  return [mutant, ...often];
}

export function mutate(source: string, { file, find, replace }: Replacement): string {
  const count = source.split(find).length - 1;
  if (count !== 1) throw new Error(`the text of a mutant is ${count} times in ${file}, not once: ${find}`);
  return source.replace(find, () => replace);
}
