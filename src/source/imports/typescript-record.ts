import type { ImportKind } from "./import-reader.ts";
import type { Noted } from "./typescript-noted.ts";

export interface RecordedImport {
  readonly specifier: string;
  readonly kind: ImportKind;
  readonly offset: number;
}

/** What can make an import that the parser's record does not have, or hide one of these words. */
const needsTree = /\b(?:require|createRequire|module|resolve|URL|reference|jsxImportSource)\b|\bimport\s*[(.]|\\u/;

/** False: the text holds what the record does not have. */
export function mayBeRecorded(text: string): boolean {
  return !needsTree.test(text);
}

/**
 * The imports of most files (those that `mayBeRecorded`), from what the parser notes of modules anyway; its syntax tree is many
 * times as large as the file.
 * Null: the text may hold more than that, and the tree is to be read. Each `import` and each `from` in the text must be one of
 * a statement that the record has: in a comment, a string, a type or a call they are not.
 */
export function readRecord({ module, errors }: Noted, text: string): readonly RecordedImport[] | null {
  if (errors.length > 0) return null;
  const found: RecordedImport[] = [];
  let froms = 0;
  for (const { start, end, moduleRequest, entries } of module.staticImports) {
    const isBare = entries.length === 0;
    // `import {} from` and `import type {} from` have no entries either.
    if (isBare && /\b(?:from|type)\b/.test(text.slice(start, end))) return null;
    if (!isBare) froms += 1;
    const kind = isBare ? "side-effect" : entries.every((entry) => entry.isType) ? "type" : "static";
    found.push({ specifier: moduleRequest.value, kind, offset: start });
  }
  for (const { start, entries } of module.staticExports) {
    const specifier = entries[0]?.moduleRequest?.value;
    if (specifier === undefined) continue;
    froms += 1;
    found.push({ specifier, kind: entries.every((entry) => entry.isType) ? "type" : "reexport", offset: start });
  }
  const words = text.match(/\b(?:import|from)\b/g) ?? [];
  const imports = words.filter((word) => word === "import").length;
  if (imports !== module.staticImports.length || words.length - imports !== froms) return null;
  return found.toSorted((a, b) => a.offset - b.offset);
}
