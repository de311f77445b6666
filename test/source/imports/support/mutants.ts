import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { z } from "zod";
import { importKindSchema, type Import, type ImportReader } from "../../../../src/source/imports/import-reader.ts";

const root = resolve(import.meta.dirname, "../../../..");

/** A change of a reader's source that takes something away. */
export interface Mutation {
  /** What the mutant no longer does. */
  readonly without: string;
  /** From the repository's root; `src/source/imports/<language>.ts` where it is left out. */
  readonly file?: string;
  /** Must be in the file exactly once, or the mutation is out of date. */
  readonly from: string;
  readonly to: string;
}

/** The reader as its source would make it with the change in it. `entry` exports `create…Reader` as `maker`. */
export async function loadMutant(entry: string, maker: string, mutation: Mutation): Promise<ImportReader> {
  const file = resolve(root, mutation.file ?? entry);
  const parts = (await readFile(file, "utf8")).split(mutation.from);
  if (parts.length !== 2)
    throw new Error(`${mutation.from} is ${parts.length - 1} times in ${file}: the mutation is out of date`);
  // Below node_modules, so that packages are found from it and nothing else looks at it.
  const outfile = resolve(root, "node_modules/.cache/mutants", `${randomUUID()}.mjs`);
  await build({
    entryPoints: [resolve(root, entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
    plugins: [
      {
        name: "mutation",
        setup: (building) => {
          building.onLoad({ filter: /\.ts$/ }, ({ path }) =>
            path === file ? { contents: parts.join(mutation.to), loader: "ts" } : null,
          );
        },
      },
    ],
  });
  const loaded: unknown = await import(pathToFileURL(outfile).href);
  await rm(outfile);
  const make = z.record(z.string(), z.unknown()).parse(loaded)[maker];
  if (typeof make !== "function") throw new Error(`${entry} exports no function ${maker}`);
  return make() as ImportReader;
}

/** The reader, deaf to some of what it finds. */
export function dropImports(reader: ImportReader, isDropped: (found: Import) => boolean): ImportReader {
  return {
    ...reader,
    readImports: async (files) =>
      (await reader.readImports(files)).map((one) => ({
        ...one,
        imports: one.imports.filter((found) => !isDropped(found)),
      })),
  };
}

/** Every kind of import there is, and what else can be left out of what a reader says. */
export function listDeafReaders(reader: ImportReader): readonly (readonly [string, ImportReader])[] {
  return [
    ...importKindSchema.options.map((kind) => [kind, dropImports(reader, (found) => found.kind === kind)] as const),
    ["test mark", { ...reader, isTest: () => false }],
    [
      "finding",
      {
        ...reader,
        readImports: async (files) =>
          (await reader.readImports(files)).map(({ imports }) => ({ imports, findings: [] })),
      },
    ],
  ];
}
