import { z } from "zod";
import type { Language } from "../../core/manifest.ts";
import type { Name } from "../../core/names.ts";
import type { Finding } from "../finding.ts";

export const importKindSchema = z.enum(["static", "dynamic", "require", "type", "reexport", "side-effect"]);
export type ImportKind = z.infer<typeof importKindSchema>;

export const importSchema = z.strictObject({
  specifier: z.string(),
  kind: importKindSchema,
  line: z.number().int().positive(),
});
export type Import = z.infer<typeof importSchema>;

/** What one file says about imports: a function of its bytes and the reader, so it is kept by blob id. */
export const fileImportsSchema = z.strictObject({
  imports: z.array(importSchema),
  /** Specifiers that cannot be known, syntax that cannot be read. */
  findings: z.array(
    z.strictObject({
      severity: z.enum(["error", "warning"]),
      line: z.number().int().nonnegative(),
      message: z.string(),
    }),
  ),
});
export type FileImports = z.infer<typeof fileImportsSchema>;

/** Texts of the files a language keeps its own facts in, by path relative to the module's folder. */
export type FactFiles = ReadonlyMap<string, string>;

export interface PublishedName {
  /** What other modules import this one by; null where it cannot be imported. */
  readonly name: string | null;
  readonly findings: readonly Finding[];
}

/** Where one import leads. No owner and no finding: inside the module, to the language itself, or to third parties. */
export interface Resolution {
  readonly owner: Name | null;
  readonly finding: { readonly severity: "error" | "warning"; readonly message: string } | null;
}

export interface ResolverContext {
  readonly module: Name;
  readonly facts: FactFiles;
  /** Name by which a module is imported → module. */
  readonly published: ReadonlyMap<string, Name>;
  /** Who owns a path that leaves this module's folder; the path is relative to that folder. Null: nobody. */
  readonly ownerOfPath: (path: string) => Name | null;
}

export interface Resolver {
  /** About the fact files themselves. */
  readonly findings: readonly Finding[];
  /** `file` is relative to the module's folder; `test`: only tests are made of it. */
  resolve(file: string, found: Import, use: "build" | "test"): Resolution;
}

/** One per language. Adding a language is adding a file that makes one of these. */
export interface ImportReader {
  readonly language: Language;
  /** Files (of the module's folder) whose text `publishedName` and `createResolver` want. */
  readonly factFiles: readonly string[];
  /** Does the build include this file? Relative to the module's folder. */
  isSource(path: string): boolean;
  isTest(path: string): boolean;
  /** What, beside the bytes, decides what is read: the reader's version and the dialect. Part of the cache's key. */
  readerKey(path: string): string;
  readImports(path: string, text: string): FileImports;
  publishedName(facts: FactFiles): PublishedName;
  createResolver(context: ResolverContext): Resolver;
}
