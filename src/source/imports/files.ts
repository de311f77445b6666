import type { ImportReader } from "./import-reader.ts";

/** Files that are packed as they are: they import nothing, and nobody can import them. */
export function createFilesReader(): ImportReader {
  return {
    language: "files",
    factFiles: [],
    isSource: () => false,
    isTest: () => false,
    readerKey: () => "files/1",
    readImports: () => ({ imports: [], findings: [] }),
    publishedName: () => ({ name: null, findings: [] }),
    createResolver: () => ({ findings: [], resolve: () => ({ owner: null, finding: null }) }),
  };
}
