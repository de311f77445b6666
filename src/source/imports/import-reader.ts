import type { Language } from "../../core/manifest.ts";

export type ImportKind = "static" | "dynamic" | "require" | "type" | "reexport" | "side-effect";

export interface Import {
  readonly specifier: string;
  readonly kind: ImportKind;
  readonly line: number;
}

/** What one file says about imports: a function of its bytes and the reader, so it is kept by blob id. */
export interface FileImports {
  readonly imports: readonly Import[];
  /** Specifiers that cannot be known, syntax that cannot be read. */
  readonly findings: readonly {
    readonly severity: "error" | "warning";
    readonly line: number;
    readonly message: string;
  }[];
}

/** One per language. Adding a language is adding a file that makes one of these. */
export interface ImportReader {
  readonly language: Language;
  /** Does the build include this file? Relative to the module's folder. */
  isSource(path: string): boolean;
  isTest(path: string): boolean;
  /** What, beside the bytes, decides what is read: the reader's version and the dialect. Part of the cache's key. */
  readerKey(path: string): string;
  readImports(path: string, text: string): FileImports;
}
