import type { ImportReader } from "./import-reader.ts";

/** Files that are packed as they are: they import nothing, and nobody can import them. */
export function createFilesReader(): ImportReader {
  return {
    language: "files",
    factFiles: [],
    isSource: () => false,
    isTest: () => false,
    readerKey: () => "files/1",
    readImports: (files) => Promise.resolve(files.map(() => ({ imports: [], findings: [] }))),
    publishNames: () => ({ names: [], findings: [] }),
    lockFiles: [],
    readLock: () => ({ kind: "none" }),
    createResolver: () => ({ findings: [], declared: [], resolve: () => ({ owner: null, finding: null }) }),
  };
}
