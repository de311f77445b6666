import { deriveModule } from "../../src/source/derive-edges.ts";
import type { ImportReader } from "../../src/source/imports/import-reader.ts";
import type { ImportsOfBlobs } from "../../src/source/imports/read-module-imports.ts";
import { indexPlacements } from "../../src/source/placements.ts";
import { publishNames } from "../../src/source/publish-names.ts";
import type { ModuleFolder } from "../../src/source/read-module-folders.ts";
import type { SourceFacts } from "../../src/source/source-facts.ts";

/** The product's own derivation over folders that a test made: all of them, none known before. */
export function deriveEdges(options: {
  readonly folders: ReadonlyMap<string, ModuleFolder>;
  readonly imports: ImportsOfBlobs;
  readonly readers: ReadonlyMap<string, ImportReader>;
}): ReadonlyMap<string, SourceFacts> {
  const { folders, imports, readers } = options;
  const readerOf = ({ manifest }: ModuleFolder): ImportReader | undefined =>
    manifest === null ? undefined : readers.get(manifest.language);
  const placements = indexPlacements([...folders.values()].map((folder) => folder.module));
  const own = new Map(
    [...folders].map(([module, folder]) => {
      const text = { facts: folder.facts, files: folder.files.map((file) => file.path) };
      return [module, readerOf(folder)?.publishNames(text)] as const;
    }),
  );
  const claims = [...folders].flatMap(([module, folder]) => {
    const [reader, said] = [readerOf(folder), own.get(module)];
    return reader === undefined || said === undefined ? [] : [{ module, language: reader.language, names: said.names }];
  });
  const published = publishNames(claims, placements.text);
  const derived = [...folders].map(([module, folder]): readonly [string, SourceFacts] => {
    const facts = deriveModule({
      folder,
      reader: readerOf(folder),
      own: own.get(module),
      published,
      placements,
      imports,
      factsOf: (other) => folders.get(other)?.facts ?? new Map<string, string>(),
    });
    return [module, { ...facts, known: null }];
  });
  return new Map(derived);
}
